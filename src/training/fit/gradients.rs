//! The method of conjugate gradients for least squares, scaled by the diagonal.

use super::rows::Rows;

/// The state of the iteration. The letters are those of the textbook: x the
/// solution, r the residuals, s the gradient, p the direction.
pub(super) struct ConjugateGradients {
    pub(super) x: Vec<f32>,
    residual: Vec<f32>,
    direction: Vec<f32>,
    /// One over the diagonal of the normal equations.
    scale: Vec<f32>,
    ridge: f32,
    /// Squared length of the scaled gradient.
    gamma: f64,
}

impl ConjugateGradients {
    pub(super) fn new(rows: &Rows, ridge: f32) -> ConjugateGradients {
        let mut scale = vec![ridge.max(f32::MIN_POSITIVE); Rows::columns()];
        for (i, &weight) in rows.weight.iter().enumerate() {
            rows.scatter(i, weight, &mut scale);
        }
        scale.iter_mut().for_each(|x| *x = x.recip());
        let mut state = ConjugateGradients {
            x: vec![0.0; Rows::columns()],
            residual: rows.target.clone(),
            direction: Vec::new(),
            scale,
            ridge,
            gamma: 0.0,
        };
        let gradient = state.gradient(rows);
        state.direction = product(&gradient, &state.scale);
        state.gamma = dot(&gradient, &state.direction);
        state
    }

    /// Half the negative gradient of the squared error with its ridge.
    fn gradient(&self, rows: &Rows) -> Vec<f32> {
        let mut gradient: Vec<f32> = self.x.iter().map(|x| -self.ridge * x).collect();
        for (i, (weight, residual)) in rows.weight.iter().zip(&self.residual).enumerate() {
            rows.scatter(i, weight * residual, &mut gradient);
        }
        gradient
    }

    /// One step of the iteration; none if the gradient is zero.
    pub(super) fn step(&mut self, rows: &Rows) {
        let image: Vec<f32> = (0..rows.len())
            .map(|i| rows.product(i, &self.direction))
            .collect();
        let weighted = image.iter().zip(&rows.weight);
        let curvature = weighted
            .map(|(q, weight)| f64::from(*weight) * f64::from(*q) * f64::from(*q))
            .sum::<f64>()
            + f64::from(self.ridge) * dot(&self.direction, &self.direction);
        if curvature <= 0.0 {
            return;
        }
        let alpha = (self.gamma / curvature) as f32;
        add(&mut self.x, alpha, &self.direction);
        add(&mut self.residual, -alpha, &image);

        let gradient = self.gradient(rows);
        let scaled = product(&gradient, &self.scale);
        let gamma = dot(&gradient, &scaled);
        let beta = (gamma / self.gamma) as f32;
        self.gamma = gamma;
        for (p, z) in self.direction.iter_mut().zip(&scaled) {
            *p = z + beta * *p;
        }
    }
}

fn product(a: &[f32], b: &[f32]) -> Vec<f32> {
    a.iter().zip(b).map(|(a, b)| a * b).collect()
}

fn dot(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(a, b)| f64::from(a * b)).sum()
}

fn add(to: &mut [f32], factor: f32, from: &[f32]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to += factor * from;
    }
}
