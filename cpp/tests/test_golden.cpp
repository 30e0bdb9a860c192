// Fingerprints of short fits to data with missing values, categories, groups and weights of rows.
// They must be the same on every processor, by every compiler, with the sanitizers and without, on
// the plain and on the vectorised path, and on any number of threads. A change of the draws is a
// change of results: see CHANGELOG.md.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <thread>
#include <vector>

#include "../fit.hpp"
#include "forest_checks.hpp"

using namespace forest_checks;
using bayesvc::FitResult;

namespace {

struct Golden {
  const char* name;
  std::size_t n;  // 90: codes of 8 bits; 400: of 16
  std::string_view prior;
  bool single, binary, weighted;
  std::uint64_t fingerprint;
};

constexpr Golden goldens[] = {
    {"fixed", 90, "fixed", true, false, false, 0xb4d441ac55ab6c28ULL},
    {"fixed, weights", 90, "fixed", true, false, true, 0x30f6cb78e8c70b75ULL},
    {"fixed, binary", 90, "fixed", true, true, false, 0xe0810a36bbb27cecULL},
    {"explicit, weights", 90, "explicit", true, false, true, 0x8454be0def9ba953ULL},
    {"explicit, double", 90, "explicit", false, false, false, 0x630d647c39dee01fULL},
    {"explicit, binary", 90, "explicit", true, true, false, 0x9d605745004d5a66ULL},
    {"collapsed", 90, "collapsed", true, false, false, 0x5557976ab9387db4ULL},
    {"collapsed, weights, double", 90, "collapsed", false, false, true, 0xf061a49dd9606424ULL},
    {"collapsed, 16 bits", 400, "collapsed", true, false, true, 0xbbb0302c5d16f198ULL},
    {"collapsed, 16 bits, double, binary", 400, "collapsed", false, true, false,
     0xecfe082a3d5ea044ULL},
};
constexpr std::size_t n_goldens = std::size(goldens);

// FNV-1a.
class Digest {
 public:
  template <class Value>
  void add(const std::vector<Value>& values) {
    for (const Value value : values) {
      unsigned char bytes[sizeof(Value)];
      std::memcpy(bytes, &value, sizeof(Value));
      for (const unsigned char byte : bytes) hash_ = (hash_ ^ byte) * 0x100000001b3ULL;
    }
  }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325ULL;
};

std::uint64_t fingerprint(const FitResult& fit, bool has_alpha) {
  Digest digest;
  for (const auto* part : {&fit.tallies.vc, &fit.tallies.vip, &fit.tallies.mpvip, &fit.tallies.mi,
                           &fit.sigma, &fit.fitted, &fit.forests->value})
    digest.add(*part);
  if (has_alpha) digest.add(fit.alpha);  // else not numbers, which have many forms
  digest.add(fit.n_splits);
  digest.add(fit.counts);
  digest.add(fit.s);
  digest.add(fit.forests->variable);
  digest.add(fit.forests->subset);
  digest.add(fit.forests->missing_left);
  return digest.value();
}

// By additions and products alone, whose bits no library chooses.
std::vector<double> exact_response(const Matrix& m, bool binary) {
  Rng rng = brute_force::rng_of(71);
  std::vector<double> y;
  for (std::size_t i = 0; i < m.n; ++i) {
    const double first = m.at(i, 0) > 0 ? 0.25 : -0.25;  // missing: with the low ones
    const double f = first + 0.0625 * m.at(i, 1) - (m.at(i, 2) > 0.5 ? 0.25 : 0.0);
    y.push_back(binary ? f + 0.3 * rng.normal() > 0 : f + 0.1 * rng.normal());
  }
  return y;
}

std::uint64_t run(const Golden& golden, const char* kernel) {
  const Matrix m = matrix_of(Kind::messy, golden.n);
  const Columns columns = m.encode();
  const std::vector<double> y = exact_response(m, golden.binary);
  ForestSettings settings = bushy(columns);
  settings.beta = 1.0;
  settings.moves = {0.25, 0.25, 0.4, 0.1, 0};
  settings.splitting = golden.prior;
  settings.single_precision = golden.single;
  settings.response = golden.binary ? "probit" : "gaussian";
  settings.kernel = kernel;
  if (golden.weighted)
    for (std::size_t i = 0; i < m.n; ++i)
      settings.row_weights.push_back(0.5 + 0.25 * static_cast<double>(i % 5));
  bayesvc::Control control;
  const FitResult fit = bayesvc::run_fit(columns, y.data(), settings, {21, 22, 23, 24},
                                         {40, 50, true, true, true, true}, control);
  return fingerprint(fit, golden.prior != "fixed");
}

void check_goldens(std::size_t n_threads, const char* kernel) {
  std::uint64_t found[n_goldens];
  std::atomic<std::size_t> next{0};
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < n_threads; ++t)
    threads.emplace_back([&] {
      for (std::size_t k = next++; k < n_goldens; k = next++) found[k] = run(goldens[k], kernel);
    });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t k = 0; k < n_goldens; ++k) {
    CHECK(found[k] == goldens[k].fingerprint);
    if (found[k] != goldens[k].fingerprint)
      std::printf("  %s: 0x%016llxULL\n", goldens[k].name,
                  static_cast<unsigned long long>(found[k]));
  }
}

}  // namespace

TEST(golden_fits_on_1_2_and_7_threads) {
  for (const std::size_t n_threads : {1u, 2u, 7u}) {
    for (const bayesvc::Kernels* kernels : bayesvc::available_kernels())
      check_goldens(n_threads, kernels->name);
  }
}
