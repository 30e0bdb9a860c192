// The response model: what the trees are fitted to, and the parameters beside the trees.
//
// The trees always see the same problem: working responses z_i = offset + f(x_i) + e_i with
// e_i ~ N(0, sigma^2 / w_i). A response model supplies z, w, sigma and the offset, and draws its
// own parameters anew after every sweep. One class per model, one file each.
//
// To add one, derive from ResponseModel, override what differs, and add its name to the table in
// response_model.cpp. Two hooks run after each sweep, in this order:
//   update  draws the parameters given the rows: sigma, degrees of freedom, cut points of an
//           ordinal response, the variance of random intercepts;
//   redraw  draws what the rows carry given the parameters and the sum of trees: latent responses
//           and random intercepts (in z), mixing weights (in w). `redraws` says which of the two
//           it changes, so that nothing is copied in vain, and `due` which of them after this
//           sweep.
// The offset is a constant of the replicate: what shifts from sweep to sweep belongs in z.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "../rng.hpp"

namespace bayesvc {

struct ForestSettings;

class ResponseModel {
 public:
  struct Redraws {
    bool working = false;
    bool precisions = false;
    constexpr bool any() const { return working || precisions; }
  };

  virtual ~ResponseModel() = default;

  // What the trees are fitted to.
  const std::vector<double>& working() const { return working_; }        // z, one per row
  const std::vector<double>& precisions() const { return precisions_; }  // w; empty: all one
  double offset() const { return offset_; }
  double sigma() const { return sigma_; }
  void set_sigma(double sigma) { sigma_ = sigma; }
  // Degrees of freedom of the errors; infinite: normal.
  double df() const { return df_; }
  void set_df(double df) { df_ = df; }
  const Redraws& redraws() const { return redraws_; }
  virtual Redraws due() const { return redraws_; }
  // While it is off, early in the burn-in, a model may hold parameters at plain values.
  virtual void set_learning(bool) {}

  // Takes the response and sets z given the sum of the trees at each row. If the model redraws
  // anything, `redraw` follows at once.
  virtual void observe(const double* y, const std::vector<double>& sum_of_trees) = 0;
  // After each sweep: the parameters, given the sum of w_i (z_i - offset - f(x_i))^2.
  virtual void update(double sum_of_squares, Rng& rng);
  // Then z and w, given the mean offset + f(x_i) of each row.
  virtual void redraw(const std::vector<double>& mean, Rng& rng);

 protected:
  ResponseModel(const Redraws& redraws, double offset, double sigma)
      : offset_(offset), sigma_(sigma), redraws_(redraws) {}

  std::vector<double> working_, precisions_;
  double offset_;
  double sigma_;
  double df_ = std::numeric_limits<double>::infinity();

 private:
  const Redraws redraws_;
};

bool is_response_model(const std::string& name);
// Whether y holds the numbers of pairs of `settings.lower` and `settings.upper`.
bool takes_intervals(const std::string& name);
std::string response_model_names();  // quoted, separated by commas

// By settings.response; throws std::invalid_argument for a name that no model has.
std::unique_ptr<ResponseModel> make_response_model(const ForestSettings& settings);

}  // namespace bayesvc
