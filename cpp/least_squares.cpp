#include "least_squares.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "kernels.hpp"

namespace bayesvc {

namespace {

constexpr std::size_t width = panel_width;
constexpr std::size_t block_width = 64;  // columns standardised and factorised together
constexpr std::size_t row_block = 128;   // rows of a panel that stay in the first-level cache
constexpr double independent = 1e-10;    // least squared length outside the span of earlier columns

void add_products(const double* a, const double* b, std::size_t n_rows, double* tile) {
  static const Kernels& kernels = kernels_named("auto");  // found once, not for each tile
  kernels.add_products(a, b, n_rows, tile);
}

// sums += a'v for a panel and a vector.
void add_products_with_vector(const double* a, const double* v, std::size_t n_rows, double* sums) {
  for (std::size_t r = 0; r < n_rows; ++r)
    for (std::size_t i = 0; i < width; ++i) sums[i] += a[r * width + i] * v[r];
}

// Of several columns side by side, one to a lane.
template <std::size_t lanes>
struct Centred {
  std::array<double, lanes> scale;           // the values were divided by it
  std::array<double, lanes> sum_of_squares;  // exactly zero for a constant
};

template <std::size_t lanes>
void subtract_means(double* v, std::size_t n) {
  std::array<double, lanes> mean{};
  for (std::size_t r = 0; r < n; ++r)
    for (std::size_t i = 0; i < lanes; ++i) mean[i] += v[r * lanes + i];
  for (double& value : mean) value /= static_cast<double>(n);
  for (std::size_t r = 0; r < n; ++r)
    for (std::size_t i = 0; i < lanes; ++i) v[r * lanes + i] -= mean[i];
}

// Subtracts the mean, after division by the largest value where squares could over- or underflow.
template <std::size_t lanes>
Centred<lanes> centre(double* v, std::size_t n) {
  std::array<double, lanes> low, high;
  std::copy_n(v, lanes, low.begin());
  std::copy_n(v, lanes, high.begin());
  for (std::size_t r = 1; r < n; ++r)
    for (std::size_t i = 0; i < lanes; ++i) {
      low[i] = std::min(low[i], v[r * lanes + i]);
      high[i] = std::max(high[i], v[r * lanes + i]);
    }
  Centred<lanes> result{};
  for (std::size_t i = 0; i < lanes; ++i) {
    const double peak = std::max(std::fabs(low[i]), std::fabs(high[i]));
    result.scale[i] = peak == 0.0 || (peak > 1e-100 && peak < 1e100) ? 1.0 : peak;
    if (result.scale[i] != 1.0)
      for (std::size_t r = 0; r < n; ++r) v[r * lanes + i] /= peak;
  }
  // The second pass removes the rounding error of the first mean, which may exceed the spread of a
  // column such as 1e9 + noise.
  subtract_means<lanes>(v, n);
  subtract_means<lanes>(v, n);
  for (std::size_t r = 0; r < n; ++r)
    for (std::size_t i = 0; i < lanes; ++i)
      result.sum_of_squares[i] += v[r * lanes + i] * v[r * lanes + i];
  for (std::size_t i = 0; i < lanes; ++i)
    if (low[i] == high[i]) result.sum_of_squares[i] = 0.0;
  return result;
}

// Columns centred and of unit length; zero if constant.
void standardise(double* panel, std::size_t n) {
  auto factor = centre<width>(panel, n).sum_of_squares;
  for (double& value : factor) value = value > 0.0 ? 1.0 / std::sqrt(value) : 0.0;
  for (std::size_t r = 0; r < n; ++r)
    for (std::size_t i = 0; i < width; ++i) panel[r * width + i] *= factor[i];
}

// The columns of the blocks one after the other.
class ColumnReader {
 public:
  explicit ColumnReader(const NextBlock& next) : next_(next) {}

  // Fills a panel with the next columns, side by side; returns how many there were.
  std::size_t fill(double* panel, std::size_t n) {
    std::size_t used = 0;
    while (used < width) {
      if (at_ == block_.n_columns) {
        if (ended_) break;
        block_ = next_();
        at_ = 0;
        if (block_.n_columns == 0) ended_ = true;
      }
      const std::size_t here = std::min(width - used, block_.n_columns - at_);
      for (std::size_t r = 0; r < n; ++r)
        for (std::size_t i = 0; i < here; ++i)
          panel[r * width + used + i] = block_.view.at(r, at_ + i);
      used += here;
      at_ += here;
    }
    return used;
  }

 private:
  const NextBlock& next_;
  ColumnBlock block_;
  std::size_t at_ = 0;
  bool ended_ = false;
};

}  // namespace

LinearModel::LinearModel(const NextBlock& next, std::size_t n) : n_(n) {
  ColumnReader reader(next);
  append_all([&](double* panel) { return reader.fill(panel, n_); });
}

LinearModel::LinearModel(const MatrixView& x, const std::vector<std::uint32_t>& rows,
                         const std::vector<std::uint32_t>& variables,
                         const std::function<void()>& pause)
    : n_(rows.size()) {
  std::size_t at = 0;
  append_all([&](double* panel) {
    if (at % block_width == 0) pause();
    const std::size_t used = std::min(width, variables.size() - at);
    for (std::size_t r = 0; r < n_; ++r)
      for (std::size_t i = 0; i < used; ++i)
        panel[r * width + i] = x.at(rows[r], variables[at + i]);
    at += used;
    return used;
  });
}

template <class Fill>
void LinearModel::append_all(Fill&& fill) {
  for (bool more = true; more && !saturated();) {
    std::vector<Panel> block;
    while (more && block.size() < block_width / width) {
      Panel panel(n_ * width);
      const std::size_t used = fill(panel.data());
      more = used == width;
      if (used == 0) break;
      standardise(panel.data(), n_);
      block.push_back(std::move(panel));
    }
    append_block(std::move(block));
  }
  if (!saturated()) return;
  columns_ = {};  // nothing is left over of any response
  factor_ = {};
}

void LinearModel::append_block(std::vector<Panel> block) {
  const auto projections = project(block);
  const auto kept = append_factor(projections, remaining_gram(block, projections));
  append_columns(std::move(block), kept);
}

// Solves U'W = Z'B for W, where Z holds the columns kept so far and B the block.
std::vector<LinearModel::Panel> LinearModel::project(const std::vector<Panel>& block) const {
  constexpr std::size_t tile_size = width * width;
  std::vector<Panel> w(block.size(), Panel(columns_.size() * tile_size));
  for (std::size_t row = 0; row < n_; row += row_block)
    for (std::size_t g = 0; g < columns_.size(); ++g)
      for (std::size_t c = 0; c < block.size(); ++c)
        add_products(columns_[g].data() + row * width, block[c].data() + row * width,
                     std::min(row_block, n_ - row), w[c].data() + g * tile_size);
  for (std::size_t g = 0; g < factor_.size(); ++g) {
    const double* triangle = factor_[g].data() + g * tile_size;
    for (Panel& panel : w) {
      double known[tile_size] = {};
      add_products(factor_[g].data(), panel.data(), g * width, known);
      double* tile = panel.data() + g * tile_size;
      for (std::size_t i = 0; i < width; ++i)
        for (std::size_t j = 0; j < width; ++j) {
          double value = tile[i * width + j] - known[i * width + j];
          for (std::size_t m = 0; m < i; ++m)
            value -= triangle[m * width + i] * tile[m * width + j];
          tile[i * width + j] = value * triangle[i * width + i];
        }
    }
  }
  return w;
}

// B'B - W'W, upper triangle of panels: the Gram matrix of what earlier columns do not explain.
std::vector<double> LinearModel::remaining_gram(const std::vector<Panel>& block,
                                                const std::vector<Panel>& projections) const {
  const std::size_t size = block.size() * width;
  std::vector<double> gram(size * size);
  for (std::size_t a = 0; a < block.size(); ++a)
    for (std::size_t b = a; b < block.size(); ++b) {
      double tile[width * width] = {}, explained[width * width] = {};
      for (std::size_t row = 0; row < n_; row += row_block)
        add_products(block[a].data() + row * width, block[b].data() + row * width,
                     std::min(row_block, n_ - row), tile);
      add_products(projections[a].data(), projections[b].data(), columns_.size() * width,
                   explained);
      for (std::size_t i = 0; i < width; ++i)
        for (std::size_t j = 0; j < width; ++j)
          gram[(a * width + i) * size + b * width + j] =
              tile[i * width + j] - explained[i * width + j];
    }
  return gram;
}

// Cholesky's factorisation of the block, row by row in place, past columns that add nothing.
// Returns those that do.
std::vector<std::size_t> LinearModel::append_factor(const std::vector<Panel>& projections,
                                                    std::vector<double> gram) {
  const std::size_t size = projections.size() * width, old_rank = rank_;
  std::vector<std::size_t> kept;
  for (std::size_t j = 0; j < size && !saturated(); ++j) {
    double* row = gram.data() + j * size;
    if (!(row[j] > independent)) continue;
    const double reciprocal = 1.0 / std::sqrt(row[j]);
    for (std::size_t k = j + 1; k < size; ++k) row[k] *= reciprocal;
    for (std::size_t i = j + 1; i < size; ++i)
      for (std::size_t k = i; k < size; ++k) gram[i * size + k] -= row[i] * row[k];

    const std::size_t place = rank_ % width;
    if (place == 0) factor_.emplace_back((rank_ + width) * width);
    double* target = factor_.back().data() + place;
    for (std::size_t r = 0; r < old_rank; ++r)
      target[r * width] = projections[j / width][r * width + j % width];
    target += old_rank * width;
    for (const std::size_t earlier : kept) {
      *target = gram[earlier * size + j];
      target += width;
    }
    *target = reciprocal;
    kept.push_back(j);
    ++rank_;
  }
  return kept;
}

// Adds these columns of a block: a panel is taken over where its columns keep their places, and
// copied and given back where not, so that no two copies of the block are there at a time.
void LinearModel::append_columns(std::vector<Panel> block, const std::vector<std::size_t>& kept) {
  std::size_t at = rank_ - kept.size();
  auto next = kept.begin();
  for (std::size_t g = 0; g < block.size(); ++g) {
    const auto end = std::lower_bound(next, kept.end(), (g + 1) * width);
    const auto count = static_cast<std::size_t>(end - next);
    if (count > 0 && at % width == 0 && *(end - 1) == g * width + count - 1) {
      for (std::size_t r = 0; r < n_; ++r)
        std::fill_n(block[g].data() + r * width + count, width - count, 0.0);
      columns_.push_back(std::move(block[g]));
      at += count;
      next = end;
    }
    for (; next != end; ++next, ++at) {
      if (at % width == 0) columns_.emplace_back(n_ * width);
      for (std::size_t r = 0; r < n_; ++r)
        columns_.back()[r * width + at % width] = block[g][r * width + *next % width];
    }
    block[g] = {};
  }
}

double LinearModel::residual_ss(const double* y) const {
  if (n_ == 0 || saturated()) return 0.0;
  std::vector<double> response(y, y + n_);
  const auto centred = centre<1>(response.data(), n_);
  const double scale = centred.scale[0], total = centred.sum_of_squares[0];
  std::vector<double> w(columns_.size() * width);  // solves U'w = Z'y
  double explained = 0.0;
  for (std::size_t g = 0; g < columns_.size(); ++g) {
    double products[width] = {}, known[width] = {};
    add_products_with_vector(columns_[g].data(), response.data(), n_, products);
    add_products_with_vector(factor_[g].data(), w.data(), g * width, known);
    const double* triangle = factor_[g].data() + g * width * width;
    for (std::size_t i = 0; i < width; ++i) {
      double value = products[i] - known[i];
      for (std::size_t m = 0; m < i; ++m) value -= triangle[m * width + i] * w[g * width + m];
      w[g * width + i] = value * triangle[i * width + i];
      explained += w[g * width + i] * w[g * width + i];
    }
  }
  return std::max(0.0, total - explained) * scale * scale;
}

}  // namespace bayesvc
