//! Linear algebra of a few numbers.

/// The sum of the products of two lists of equal length.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Replaces `right` by the x for which the matrix of `rows` times x is `right`, by elimination. The
/// matrix must be positive definite, so that no pivot vanishes.
#[cfg(feature = "program")]
pub fn solve<R: AsRef<[f64]> + AsMut<[f64]>>(rows: &mut [R], right: &mut [f64]) {
    for pivot in 0..rows.len() {
        let (done, below) = rows.split_at_mut(pivot + 1);
        let above = done[pivot].as_ref();
        for (offset, row) in below.iter_mut().enumerate() {
            let row = row.as_mut();
            let factor = row[pivot] / above[pivot];
            for (cell, above) in row.iter_mut().zip(above) {
                *cell -= factor * above;
            }
            right[pivot + 1 + offset] -= factor * right[pivot];
        }
    }
    for (i, row) in rows.iter().enumerate().rev() {
        let row = row.as_ref();
        let known = dot(&row[i + 1..], &right[i + 1..]);
        right[i] = (right[i] - known) / row[i];
    }
}
