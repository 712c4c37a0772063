//! Page servers of this process, and what to tell the library of them.

use fabric::RunKey;
use fourstamp_rmem::{Config, PageServer, Server, ServerOptions, ServerRole};
use std::sync::Once;

/// Servers that live as long as this.
pub struct Servers {
    pub servers: Vec<Server>,
}

/// One key for all tests of this process: it comes from the environment.
pub fn key() -> RunKey {
    static KEY: Once = Once::new();
    KEY.call_once(|| {
        let key = RunKey::generate().unwrap();
        // SAFETY: before any other thread of a test looks at the environment; all come through here
        // first.
        unsafe { std::env::set_var(RunKey::VARIABLE, key.to_hex()) };
    });
    RunKey::from_env().unwrap()
}

impl Servers {
    /// One for each role, each with so much memory.
    pub fn start(roles: &[ServerRole], bytes: u64) -> Servers {
        let key = key();
        let start = |role: &ServerRole| {
            let server =
                PageServer::bind(ServerOptions::new("127.0.0.1:0", bytes, key.clone())).unwrap();
            let address = server.address().to_string();
            static FOREVER: std::sync::atomic::AtomicBool =
                std::sync::atomic::AtomicBool::new(false);
            std::thread::spawn(move || server.run(&FOREVER).unwrap());
            Server { address, role: *role }
        };
        Servers { servers: roles.iter().map(start).collect() }
    }
}

/// As `fourstamp pager run` makes it.
pub fn config(servers: &Servers, policy: &str, local_bytes: u64) -> Config {
    Config {
        local_bytes,
        policy: policy.into(),
        servers: servers.servers.clone(),
        encrypt: false,
        disk: std::env::temp_dir(),
        prefetch_pages: 64,
        threshold_bytes: 1 << 20,
        deadline_ms: 5000,
        run: None,
        user_mode_only: false,
        old_kernel: false,
        clock: None,
        started_ns: 0,
        record: false,
        fork_budget_bytes: 0,
    }
}
