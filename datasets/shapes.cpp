// Implements the outlines with comparisons, products and sums only, so that every machine draws the same pixels
// (compiled without contraction to fused multiply-adds).
#include "datasets/shapes.hpp"

#include <array>
#include <stdexcept>

namespace datasets {
namespace {

struct Point {
  double x;
  double y;
};

double absolute(double v) {
  return v < 0 ? -v : v;
}

bool in_box(double x, double y, double left, double right, double bottom, double top) {
  return x >= left && x <= right && y >= bottom && y <= top;
}

bool in_band(double x, double y, double inner, double outer) {
  const double squared = x * x + y * y;
  return squared >= inner * inner && squared <= outer * outer;
}

/// An ellipse: a round ring looks the same under every rotation, which made it far easier than the other shapes.
bool in_ring(double x, double y) {
  return in_band(x, 1.25 * y, 0.35, 0.95);
}

bool in_cross(double x, double y) {
  return in_box(x, y, -0.95, 0.95, -0.25, 0.25) || in_box(x, y, -0.25, 0.25, -0.95, 0.95);
}

bool in_bar(double x, double y) {
  return in_box(x, y, -1, 1, -0.3, 0.3);
}

/// Equilateral: inside three half-planes at distance 0.5 from the centre, corners at distance 1.
bool in_triangle(double x, double y) {
  constexpr double kHalfRoot3 = 0.86602540378443865;
  return y >= -0.5 && kHalfRoot3 * x + 0.5 * y <= 0.5 && -kHalfRoot3 * x + 0.5 * y <= 0.5;
}

bool in_square(double x, double y) {
  return absolute(x) <= 0.7 && absolute(y) <= 0.7;
}

bool in_ell(double x, double y) {
  return in_box(x, y, -0.7, -0.25, -0.85, 0.85) || in_box(x, y, -0.7, 0.7, -0.85, -0.4);
}

/// Five points on the unit circle, inner corners at distance 0.42; even-odd rule.
bool in_star(double x, double y) {
  constexpr double kInner = 0.42;
  constexpr std::array<Point, 10> kCorners = {{{0, 1},
                                               {kInner * -0.58778525229247314, kInner * 0.80901699437494745},
                                               {-0.95105651629515353, 0.30901699437494745},
                                               {kInner * -0.95105651629515353, kInner * -0.30901699437494745},
                                               {-0.58778525229247314, -0.80901699437494745},
                                               {0, -kInner},
                                               {0.58778525229247314, -0.80901699437494745},
                                               {kInner * 0.95105651629515353, kInner * -0.30901699437494745},
                                               {0.95105651629515353, 0.30901699437494745},
                                               {kInner * 0.58778525229247314, kInner * 0.80901699437494745}}};
  bool inside = false;
  for (std::size_t i = 0; i < kCorners.size(); ++i) {
    const Point a = kCorners[i];
    const Point b = kCorners[(i + 1) % kCorners.size()];
    if ((a.y > y) == (b.y > y)) continue;
    if (x < a.x + (b.x - a.x) * (y - a.y) / (b.y - a.y)) inside = !inside;
  }
  return inside;
}

/// A little more than half a ring.
bool in_arc(double x, double y) {
  return y >= -0.15 && in_band(x, y, 0.55, 0.95);
}

}  // namespace

const std::vector<std::string>& shape_names() {
  static const std::vector<std::string> names = {"ring", "cross", "bar", "triangle", "square", "ell", "star", "arc"};
  return names;
}

bool shape_contains(int index, double x, double y) {
  constexpr std::array<bool (*)(double, double), 8> kShapes = {in_ring,   in_cross, in_bar,  in_triangle,
                                                               in_square, in_ell,   in_star, in_arc};
  if (index < 0 || index >= static_cast<int>(kShapes.size())) throw std::out_of_range("shape_contains: no such shape");
  return kShapes[static_cast<std::size_t>(index)](x, y);
}

}  // namespace datasets
