// SPDX-License-Identifier: MIT
#include <mezzo/policy/op_full.hpp>

#include <doctest/doctest.h>

#include "tags.hpp"

namespace {

namespace op = mezzo::op;
using mezzo::op_class;
using mezzo::op_tag;

// Element by element: O2 stores them low.
using one_by_one = tags<
    op::exp, op::exp2, op::expm1, op::log, op::log1p, op::log2, op::log10, op::pow, op::reciprocal, op::rsqrt,
    op::sinh, op::cosh, op::tan, op::asin, op::acos, op::asinh, op::acosh, op::atanh, op::erfinv, op::lgamma,
    op::digamma, op::ndtri, op::xlogy, op::xlog1py, op::softplus, op::log_sigmoid, op::tanhshrink, op::logaddexp,
    op::polar, op::view_as_complex, op::complex_abs>;
static_assert(one_by_one::count == 31 && one_by_one::are(op_class::full));
static_assert(one_by_one::derive_from<op::full_pointwise_op>());

// Sums, norms, softmax, transforms, linear algebra: many values meet.
using many_meet = tags<
    op::square_sum, op::layer_norm, op::layer_norm_backward, op::group_norm, op::instance_norm, op::rms_norm,
    op::batch_norm, op::sync_batch_norm, op::local_response_norm, op::normalize, op::renorm, op::weight_norm,
    op::cosine_similarity, op::deep_norm, op::mvn, op::softmax, op::softmin, op::log_softmax, op::softmax_backward,
    op::log_softmax_backward, op::masked_softmax, op::logsumexp, op::logcumsumexp, op::gumbel_softmax, op::sum,
    op::nansum, op::mean, op::prod, op::var, op::std, op::cumsum, op::cumprod, op::norm, op::frobenius_norm,
    op::nuclear_norm, op::linalg_vector_norm, op::linalg_matrix_norm, op::dist, op::pdist, op::cdist, op::trace,
    op::sum_square_all, op::unsorted_segment_sum, op::unsorted_segment_prod, op::segment_sum, op::bias_grad,
    op::embedding_backward, op::clip_by_norm, op::quantile, op::nanquantile, op::histogram, op::fft, op::ifft,
    op::fft2, op::ifft2, op::fftn, op::ifftn, op::rfft, op::irfft, op::rfft2, op::irfft2, op::rfftn, op::irfftn,
    op::hfft, op::ihfft, op::stft, op::linalg_cholesky, op::cholesky_inverse, op::cholesky_solve, op::linalg_inv,
    op::inverse, op::pinverse, op::lu_solve, op::lu_with_info, op::linalg_solve, op::linalg_lstsq,
    op::triangular_solve, op::linalg_qr, op::qr, op::geqrf, op::orgqr, op::ormqr, op::linalg_householder_product,
    op::linalg_svd, op::svd, op::linalg_svdvals, op::linalg_eig, op::linalg_eigh, op::linalg_eigvals,
    op::linalg_eigvalsh, op::linalg_cond, op::linalg_matrix_rank, op::linalg_tensorinv, op::linalg_tensorsolve,
    op::linalg_det, op::linalg_slogdet>;
static_assert(many_meet::count == 96 && many_meet::are(op_class::full));
static_assert(many_meet::derive_from_none<op::full_pointwise_op, op::loss_op, op::statistics_op>());

using losses = tags<
    op::l2_loss, op::mse_loss, op::l1_loss, op::smooth_l1_loss, op::huber_loss, op::nll_loss, op::nll_loss2d,
    op::cross_entropy_loss, op::sparse_cross_entropy_loss, op::kl_div, op::binary_cross_entropy_with_logits,
    op::poisson_nll_loss, op::gaussian_nll_loss, op::cosine_embedding_loss, op::hinge_embedding_loss,
    op::margin_ranking_loss, op::multilabel_margin_loss, op::multilabel_soft_margin_loss, op::soft_margin_loss,
    op::triplet_margin_loss, op::multi_margin_loss, op::ctc_loss, op::focal_loss, op::iou_loss>;
static_assert(losses::count == 24 && losses::are(op_class::full));
static_assert(losses::derive_from<op::loss_op>() && losses::derive_from_none<op::full_pointwise_op>());

using statistics = tags<
    op::batch_norm_stats, op::batch_norm_update>;
static_assert(statistics::count == 2 && statistics::are(op_class::full));
static_assert(statistics::derive_from<op::statistics_op>());

static_assert(op_tag<op::binary_cross_entropy> && op::binary_cross_entropy::classification == op_class::unsafe);

}  // namespace

TEST_CASE("what must not lose range or sum is full, and plain binary cross-entropy unsafe") {
  CHECK(one_by_one::are(op_class::full));
  CHECK(many_meet::are(op_class::full));
  CHECK(losses::are(op_class::full));
  CHECK(statistics::are(op_class::full));
  CHECK(op::binary_cross_entropy::classification == op_class::unsafe);
  CHECK(op::binary_cross_entropy_with_logits::classification == op_class::full);
}
