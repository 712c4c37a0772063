//! libotf2, loaded as the program runs.

use crate::Otf2Error;
use std::ffi::{CStr, c_char, c_int, c_void};

/// The environment variable that names the file of libotf2.
pub const LIBRARY: &str = "FOURSTAMP_OTF2_LIBRARY";

/// Its names: Debian's, then its makers', then the oldest that does.
const NAMES: [&str; 4] =
    ["libopen-trace-format2.so.10", "libotf2.so.10", "libotf2.so", "libotf2.so.7"];

/// `OTF2_ErrorCode`; 0 is success.
pub(crate) type Code = c_int;
/// Things of the library that are only pointed at.
pub(crate) type Handle = *mut c_void;

/// `OTF2_FlushCallbacks`: asked before the library writes a full buffer, and after it.
#[repr(C)]
pub(crate) struct FlushCallbacks {
    pub before: Option<extern "C" fn(Handle, u8, u64, Handle, bool) -> u8>,
    pub after: Option<extern "C" fn(Handle, u8, u64) -> u64>,
}

macro_rules! functions {
    ($($field:ident = $symbol:literal: ($($argument:ty),*) -> $result:ty;)*) => {
        /// The functions that a trace needs.
        pub(crate) struct Functions {
            $(pub $field: unsafe extern "C" fn($($argument),*) -> $result,)*
        }

        impl Functions {
            fn of(library: &libloading::Library, name: &str) -> Result<Functions, Otf2Error> {
                Ok(Functions {
                    // SAFETY: the type is that of the function's declaration in OTF2 3.0's headers.
                    // Versions 2 and 3 differ in arguments at the end, which a callee that does not
                    // know them leaves alone in the C calling conventions of Linux.
                    $($field: *unsafe {
                        library.get(concat!($symbol, "\0").as_bytes())
                    }
                    .map_err(|_| Otf2Error::NoFunction {
                        library: name.to_owned(),
                        function: $symbol,
                    })?,)*
                })
            }
        }
    };
}

functions! {
    open = "OTF2_Archive_Open":
        (*const c_char, *const c_char, u8, u64, u64, u8, u8) -> Handle;
    close = "OTF2_Archive_Close": (Handle) -> Code;
    flush = "OTF2_Archive_SetFlushCallbacks": (Handle, *const FlushCallbacks, Handle) -> Code;
    serial = "OTF2_Archive_SetSerialCollectiveCallbacks": (Handle) -> Code;
    creator = "OTF2_Archive_SetCreator": (Handle, *const c_char) -> Code;
    open_events = "OTF2_Archive_OpenEvtFiles": (Handle) -> Code;
    close_events = "OTF2_Archive_CloseEvtFiles": (Handle) -> Code;
    writer = "OTF2_Archive_GetEvtWriter": (Handle, u64) -> Handle;
    close_writer = "OTF2_Archive_CloseEvtWriter": (Handle, Handle) -> Code;
    open_definitions = "OTF2_Archive_OpenDefFiles": (Handle) -> Code;
    close_definitions = "OTF2_Archive_CloseDefFiles": (Handle) -> Code;
    local_definitions = "OTF2_Archive_GetDefWriter": (Handle, u64) -> Handle;
    close_local_definitions = "OTF2_Archive_CloseDefWriter": (Handle, Handle) -> Code;
    definitions = "OTF2_Archive_GetGlobalDefWriter": (Handle) -> Handle;
    enter = "OTF2_EvtWriter_Enter": (Handle, Handle, u64, u32) -> Code;
    leave = "OTF2_EvtWriter_Leave": (Handle, Handle, u64, u32) -> Code;
    send = "OTF2_EvtWriter_MpiSend": (Handle, Handle, u64, u32, u32, u32, u64) -> Code;
    receive = "OTF2_EvtWriter_MpiRecv": (Handle, Handle, u64, u32, u32, u32, u64) -> Code;
    collective_begin = "OTF2_EvtWriter_MpiCollectiveBegin": (Handle, Handle, u64) -> Code;
    collective_end = "OTF2_EvtWriter_MpiCollectiveEnd":
        (Handle, Handle, u64, u8, u32, u32, u64, u64) -> Code;
    clock = "OTF2_GlobalDefWriter_WriteClockProperties": (Handle, u64, u64, u64, u64) -> Code;
    string = "OTF2_GlobalDefWriter_WriteString": (Handle, u32, *const c_char) -> Code;
    machine = "OTF2_GlobalDefWriter_WriteSystemTreeNode": (Handle, u32, u32, u32, u32) -> Code;
    process = "OTF2_GlobalDefWriter_WriteLocationGroup": (Handle, u32, u32, u8, u32, u32) -> Code;
    location = "OTF2_GlobalDefWriter_WriteLocation": (Handle, u64, u32, u8, u64, u32) -> Code;
    region = "OTF2_GlobalDefWriter_WriteRegion":
        (Handle, u32, u32, u32, u32, u8, u8, u32, u32, u32, u32) -> Code;
    group = "OTF2_GlobalDefWriter_WriteGroup":
        (Handle, u32, u32, u8, u8, u32, u32, *const u64) -> Code;
    communicator = "OTF2_GlobalDefWriter_WriteComm": (Handle, u32, u32, u32, u32, u32) -> Code;
    error = "OTF2_Error_GetDescription": (Code) -> *const c_char;
    on_error = "OTF2_Error_RegisterCallback": (Option<ErrorCallback>, Handle) -> Handle;
}

/// `OTF2_ErrorCallback` without the variable arguments, which it never looks at.
type ErrorCallback =
    extern "C" fn(Handle, *const c_char, u64, *const c_char, Code, *const c_char, Handle) -> Code;

/// Errors come back as codes: the library shall not print them too.
extern "C" fn quiet(
    _: Handle,
    _: *const c_char,
    _: u64,
    _: *const c_char,
    code: Code,
    _: *const c_char,
    _: Handle,
) -> Code {
    code
}

/// libotf2.
pub struct Library {
    pub(crate) functions: Functions,
    pub(crate) name: String,
    /// Its code is there as long as this is.
    _code: libloading::Library,
}

impl Library {
    /// Load it: the file that [`LIBRARY`] names, or the first of its usual names.
    ///
    /// # Errors
    /// When there is none, or it is not OTF2.
    pub fn load() -> Result<Library, Otf2Error> {
        let names = match std::env::var(LIBRARY) {
            Ok(named) => vec![named],
            Err(_) => NAMES.map(str::to_owned).to_vec(),
        };
        let mut tried = Vec::new();
        for name in names {
            // SAFETY: the code that runs as it is loaded is libotf2's, which has none, or that of
            // the file that the user named.
            match unsafe { libloading::Library::new(&name) } {
                Ok(code) => return Library::of(code, name),
                Err(error) => tried.push(error.to_string()),
            }
        }
        Err(Otf2Error::NoLibrary { tried: tried.join("; ") })
    }

    fn of(code: libloading::Library, name: String) -> Result<Library, Otf2Error> {
        let functions = Functions::of(&code, &name)?;
        // SAFETY: the callback is a function of this program, which is there to its end. It ignores
        // its last argument, a list of variable arguments that is passed as one pointer.
        unsafe { (functions.on_error)(Some(quiet), std::ptr::null_mut()) };
        Ok(Library { functions, name, _code: code })
    }

    /// The library's words for an error.
    pub(crate) fn words(&self, code: Code) -> String {
        // SAFETY: takes any number, and gives a text of the library's own, which stays.
        let text = unsafe { (self.functions.error)(code) };
        if text.is_null() {
            return format!("error {code}");
        }
        // SAFETY: it is not null, and ends with a zero byte.
        unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
    }
}
