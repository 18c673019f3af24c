// SPDX-License-Identifier: MIT
//
// Tags of the operations whose result must be float32 or wider: one operand out of range, or one sum too short, and a
// low result is lost.
#pragma once

#include <mezzo/policy/op_class.hpp>

namespace mezzo::inline MEZZO_ABI::op {

// Exponentials, logarithms and powers, element by element.
struct exp : full_pointwise_op {};
struct exp2 : full_pointwise_op {};
struct expm1 : full_pointwise_op {};
struct log : full_pointwise_op {};
struct log1p : full_pointwise_op {};
struct log2 : full_pointwise_op {};
struct log10 : full_pointwise_op {};
struct pow : full_pointwise_op {};
struct reciprocal : full_pointwise_op {};
struct rsqrt : full_pointwise_op {};
struct sinh : full_pointwise_op {};
struct cosh : full_pointwise_op {};
struct tan : full_pointwise_op {};
struct asin : full_pointwise_op {};
struct acos : full_pointwise_op {};
struct asinh : full_pointwise_op {};
struct acosh : full_pointwise_op {};
struct atanh : full_pointwise_op {};
struct erfinv : full_pointwise_op {};
struct lgamma : full_pointwise_op {};
struct digamma : full_pointwise_op {};
struct ndtri : full_pointwise_op {};
struct xlogy : full_pointwise_op {};
struct xlog1py : full_pointwise_op {};
struct softplus : full_pointwise_op {};
struct log_sigmoid : full_pointwise_op {};
struct tanhshrink : full_pointwise_op {};
struct logaddexp : full_pointwise_op {};
struct polar : full_pointwise_op {};
struct view_as_complex : full_pointwise_op {};
struct complex_abs : full_pointwise_op {};

// Normalisation: statistics over many values.
struct layer_norm : full_op {};
struct layer_norm_backward : full_op {};
struct group_norm : full_op {};
struct instance_norm : full_op {};
struct rms_norm : full_op {};
struct batch_norm : full_op {};
struct batch_norm_stats : statistics_op {};
struct batch_norm_update : statistics_op {};
struct sync_batch_norm : full_op {};
struct local_response_norm : full_op {};
struct normalize : full_op {};
struct renorm : full_op {};
struct weight_norm : full_op {};
struct cosine_similarity : full_op {};
struct deep_norm : full_op {};
struct mvn : full_op {};

// Softmax and its kin: exponentials summed over an axis.
struct softmax : full_op {};
struct softmin : full_op {};
struct log_softmax : full_op {};
struct softmax_backward : full_op {};
struct log_softmax_backward : full_op {};
struct masked_softmax : full_op {};
struct logsumexp : full_op {};
struct logcumsumexp : full_op {};
struct gumbel_softmax : full_op {};

// Reductions and distances.
struct square_sum : full_op {};
struct sum : full_op {};
struct nansum : full_op {};
struct mean : full_op {};
struct prod : full_op {};
struct var : full_op {};
struct std : full_op {};
struct cumsum : full_op {};
struct cumprod : full_op {};
struct norm : full_op {};
struct frobenius_norm : full_op {};
struct nuclear_norm : full_op {};
struct linalg_vector_norm : full_op {};
struct linalg_matrix_norm : full_op {};
struct dist : full_op {};
struct pdist : full_op {};
struct cdist : full_op {};
struct trace : full_op {};
struct sum_square_all : full_op {};
struct unsorted_segment_sum : full_op {};
struct unsorted_segment_prod : full_op {};
struct segment_sum : full_op {};
struct bias_grad : full_op {};
struct embedding_backward : full_op {};
struct clip_by_norm : full_op {};
struct quantile : full_op {};
struct nanquantile : full_op {};
struct histogram : full_op {};

// Losses.
struct l2_loss : loss_op {};
struct mse_loss : loss_op {};
struct l1_loss : loss_op {};
struct smooth_l1_loss : loss_op {};
struct huber_loss : loss_op {};
struct nll_loss : loss_op {};
struct nll_loss2d : loss_op {};
struct cross_entropy_loss : loss_op {};
struct sparse_cross_entropy_loss : loss_op {};
struct kl_div : loss_op {};
struct binary_cross_entropy_with_logits : loss_op {};
struct poisson_nll_loss : loss_op {};
struct gaussian_nll_loss : loss_op {};
struct cosine_embedding_loss : loss_op {};
struct hinge_embedding_loss : loss_op {};
struct margin_ranking_loss : loss_op {};
struct multilabel_margin_loss : loss_op {};
struct multilabel_soft_margin_loss : loss_op {};
struct soft_margin_loss : loss_op {};
struct triplet_margin_loss : loss_op {};
struct multi_margin_loss : loss_op {};
struct ctc_loss : loss_op {};
struct focal_loss : loss_op {};
struct iou_loss : loss_op {};

// Transforms and linear algebra: no low form exists.
struct fft : full_op {};
struct ifft : full_op {};
struct fft2 : full_op {};
struct ifft2 : full_op {};
struct fftn : full_op {};
struct ifftn : full_op {};
struct rfft : full_op {};
struct irfft : full_op {};
struct rfft2 : full_op {};
struct irfft2 : full_op {};
struct rfftn : full_op {};
struct irfftn : full_op {};
struct hfft : full_op {};
struct ihfft : full_op {};
struct stft : full_op {};
struct linalg_cholesky : full_op {};
struct cholesky_inverse : full_op {};
struct cholesky_solve : full_op {};
struct linalg_inv : full_op {};
struct inverse : full_op {};
struct pinverse : full_op {};
struct lu_solve : full_op {};
struct lu_with_info : full_op {};
struct linalg_solve : full_op {};
struct linalg_lstsq : full_op {};
struct triangular_solve : full_op {};
struct linalg_qr : full_op {};
struct qr : full_op {};
struct geqrf : full_op {};
struct orgqr : full_op {};
struct ormqr : full_op {};
struct linalg_householder_product : full_op {};
struct linalg_svd : full_op {};
struct svd : full_op {};
struct linalg_svdvals : full_op {};
struct linalg_eig : full_op {};
struct linalg_eigh : full_op {};
struct linalg_eigvals : full_op {};
struct linalg_eigvalsh : full_op {};
struct linalg_cond : full_op {};
struct linalg_matrix_rank : full_op {};
struct linalg_tensorinv : full_op {};
struct linalg_tensorsolve : full_op {};
struct linalg_det : full_op {};
struct linalg_slogdet : full_op {};

// Takes the logarithm of a probability that a low type has already rounded to 0 or 1.
struct binary_cross_entropy : unsafe_op {};

}  // namespace mezzo::inline MEZZO_ABI::op
