//! Settings of the pipeline that are not weights of signals. Each has a name, so that a sweep can vary it.

use crate::catalog::flag;
use crate::understand::Query;
use crate::walk::WalkOptions;

/// Declares the settings: name, default, meaning.
macro_rules! parameters {
    ($($(#[doc = $doc:literal])+ $name:ident = $default:expr;)+) => {
        /// Settings of the pipeline; counts are whole numbers kept as floats, so that all have one type.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct Parameters {
            $($(#[doc = $doc])+ pub $name: f32,)+
        }

        impl Parameters {
            /// The settings that ship.
            pub const DEFAULT: Parameters = Parameters { $($name: $default),+ };
            /// Names of the settings.
            pub const NAMES: &'static [&'static str] = &[$(stringify!($name)),+];

            /// Returns a setting by name.
            pub fn get(&self, name: &str) -> Option<f32> {
                match name {
                    $(stringify!($name) => Some(self.$name),)+
                    _ => None,
                }
            }

            /// Changes a setting by name; false when there is none with that name.
            pub fn set(&mut self, name: &str, value: f32) -> bool {
                match name {
                    $(stringify!($name) => self.$name = value,)+
                    _ => return false,
                }
                true
            }
        }
    };
}

parameters! {
    /// Share of the walk's mass that returns to the seeds in each step.
    restart = 0.4;
    /// Steps of the walk; none switches it off.
    iterations = 5.0;
    /// Symbols from which the walk starts.
    seeds = 40.0;
    /// Share of an edge's weight when it is followed backwards.
    reverse = 0.5;
    /// Symbols that pass mass on in one step.
    breadth = 400.0;
    /// Factor of tests, unless the request is about them.
    test_penalty = 0.3;
    /// Factor of documentation, examples and stand-ins.
    aside_penalty = 0.5;
    /// Factor of generated, vendored and built code.
    foreign_penalty = 0.5;
    /// Factor of code for a system that the request does not name, when its twin for common systems is there.
    port_penalty = 0.7;
    /// Share of files whose paths may have a word of a task; where more have it, it tells no file apart and paths are not asked.
    common_path = 0.15;
    /// Symbols taken into the pool by their words.
    by_words = 500.0;
    /// Symbols taken into the pool by the walk.
    by_walk = 400.0;
    /// Types whose members are taken into the pool.
    by_types = 60.0;
    /// Sections of documentation that are followed to what they name; none switches prose off.
    sections = 25.0;
    /// How far ranks are damped where lists are fused: a rank counts `1 / (rrf_k + rank)`.
    rrf_k = 60.0;
    /// 1 to let the walk start from the fused lists, weighted by rank, instead of the best matches.
    fused_seeds = 0.0;
    /// 1 to keep the walk inside a community when all its seeds belong to it.
    community = 0.0;
    /// Least mass of a symbol that the walk takes into the pool, as a share of the greatest.
    score_cutoff = 0.0;
    /// Interfaces and base types among the best matches whose implementations become seeds too.
    implementors = 0.0;
    /// Candidates among which authorities and hubs are looked for.
    hits = 200.0;
    /// Steps of that search; none leaves authorities and hubs out.
    hits_iterations = 10.0;
}

impl Default for Parameters {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl Parameters {
    /// Lowers scores of tests and ports (unless the request is about them), documentation and foreign code.
    pub fn prior(&self, flags: u8, query: &Query) -> f32 {
        let test =
            if flags & flag::TEST != 0 && !query.about_tests { self.test_penalty } else { 1.0 };
        let port =
            if flags & flag::PORT != 0 && !query.about_ports { self.port_penalty } else { 1.0 };
        let foreign = if flags & flag::FOREIGN != 0 { self.foreign_penalty } else { 1.0 };
        test * port * self.aside(flags) * foreign
    }

    /// Lowers scores of documentation alone.
    pub fn aside(&self, flags: u8) -> f32 {
        if flags & flag::ASIDE != 0 { self.aside_penalty } else { 1.0 }
    }

    /// Returns how the walk goes.
    pub fn walk(&self) -> WalkOptions {
        WalkOptions {
            restart: self.restart,
            iterations: self.iterations.max(0.0) as u32,
            seeds: self.seeds.max(0.0) as usize,
            reverse: self.reverse,
            breadth: self.breadth.max(1.0) as usize,
            community: self.community > 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::understand::understand;

    #[test]
    fn every_name_can_be_read_and_changed() {
        for name in Parameters::NAMES {
            let mut parameters = Parameters::DEFAULT;
            assert!(parameters.set(name, 17.0));
            assert_eq!(parameters.get(name), Some(17.0));
            assert_ne!(parameters, Parameters::DEFAULT);
        }
        assert!(!Parameters::default().set("no such name", 1.0));
    }

    #[test]
    fn priors_multiply() {
        let parameters = Parameters::DEFAULT;
        let (plain, special) = (understand("open a pipe"), understand("test of pipes on windows"));
        assert_eq!(parameters.prior(0, &plain), 1.0);
        assert_eq!(parameters.prior(flag::TEST | flag::PORT, &special), 1.0);
        assert!((parameters.prior(flag::TEST | flag::FOREIGN, &plain) - 0.15).abs() < 1e-6);
        assert_eq!(parameters.prior(flag::PORT, &plain), parameters.port_penalty);
    }
}
