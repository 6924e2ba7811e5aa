//! What the engine's files need beside locks, as little of it as possible.

pub mod host {
    use std::time::Duration;

    /// No time for spinning.
    pub struct Instant;

    impl Instant {
        pub fn now() -> Instant {
            Instant
        }

        pub fn elapsed(&self) -> Duration {
            Duration::MAX
        }
    }
}

pub mod lazy {
    use std::ops::Deref;
    use std::sync::OnceLock;

    pub struct Lazy<T>(OnceLock<T>, fn() -> T);

    impl<T> Lazy<T> {
        pub const fn new(make: fn() -> T) -> Lazy<T> {
            Lazy(OnceLock::new(), make)
        }
    }

    impl<T> Deref for Lazy<T> {
        type Target = T;

        fn deref(&self) -> &T {
            self.0.get_or_init(self.1)
        }
    }
}

pub mod score {
    pub type Discs = i8;
}

pub mod threads {
    use std::num::NonZeroUsize;

    pub fn cores() -> NonZeroUsize {
        NonZeroUsize::MAX
    }
}
