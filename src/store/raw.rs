//! HDF5's C interface behind safe functions: the only file of the store with `unsafe`.
//!
//! Every call holds the library's lock, and the text of an error is taken before any other call can
//! clear it. Errors are plain text here; callers add what they were doing to which object.
#![allow(unsafe_code)]

use crate::comm::RawCommunicator;
use hdf5::globals as g;
use hdf5_sys::h5::{H5_index_t, H5_iter_order_t, herr_t, hsize_t};
use hdf5_sys::h5i::{H5I_type_t, hid_t};
use hdf5_sys::{h5a, h5d, h5f, h5g, h5i, h5l, h5o, h5p, h5pl, h5s, h5t};
use std::ffi::{CString, c_char, c_int, c_uint};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::Once;

/// What HDF5 said.
pub(crate) type Outcome<T> = Result<T, String>;

// The dimension scales are in the high-level library, which hdf5-metno-sys does not declare.
#[link(name = "hdf5_hl")]
unsafe extern "C" {
    fn H5DSset_scale(dataset: hid_t, name: *const c_char) -> herr_t;
    fn H5DSattach_scale(dataset: hid_t, scale: hid_t, dimension: c_uint) -> herr_t;
}
// In libhdf5 (parallel builds only), not declared there either.
unsafe extern "C" {
    fn H5Pget_mpio_no_collective_cause(transfer: hid_t, local: *mut u32, global: *mut u32) -> herr_t;
}

/// An open HDF5 object; closed when dropped.
pub(crate) struct Id {
    id: hid_t,
    close: unsafe extern "C" fn(hid_t) -> herr_t,
}

impl Id {
    /// Closes it and says whether that worked.
    pub(crate) fn close(self) -> Outcome<()> {
        let (id, close) = (self.id, self.close);
        std::mem::forget(self);
        // SAFETY: `id` is open and `close` is the function of its kind; `self` is forgotten.
        done(|| unsafe { close(id) })
    }
}

impl Drop for Id {
    fn drop(&mut self) {
        // SAFETY: `id` is open and `close` is the function of its kind.
        let _ = done(|| unsafe { (self.close)(self.id) });
    }
}

/// The version of the HDF5 library, as text.
pub fn library_version() -> String {
    let (major, minor, release) = hdf5::library_version();
    format!("HDF5 {major}.{minor}.{release}")
}

/// Holds the lock; at the first time switches plugins and links to other files off, for good.
fn library<T>(f: impl FnOnce() -> T) -> T {
    static ONCE: Once = Once::new();
    hdf5::sync::sync(|| {
        ONCE.call_once(|| {
            let mut none: c_int = 0;
            // SAFETY: plain calls of an initialised library, with a valid pointer.
            unsafe {
                h5pl::H5PLset_loading_state(&raw mut none);
                h5l::H5Lunregister(h5l::H5L_type_t::H5L_TYPE_EXTERNAL);
            }
        });
        f()
    })
}

fn last_error() -> String {
    let stack = hdf5::Error::query().ok().and_then(|error| error.stack());
    let Some(stack) = stack.filter(|stack| !stack.is_empty()) else { return "HDF5 gave no reason".to_owned() };
    let mut texts: Vec<String> = stack.iter().map(|frame| plain(frame.desc().trim())).collect();
    texts.dedup();
    // The outermost says what failed, the innermost why.
    match (texts.first(), texts.last()) {
        (Some(what), Some(why)) if what != why => format!("{what}: {why}"),
        (Some(what), _) => what.clone(),
        _ => "HDF5 gave no reason".to_owned(),
    }
}

/// A message of the library with the system's words alone, without addresses, times and file descriptors.
fn plain(message: &str) -> String {
    let words = message.split_once("error message = '").and_then(|(_, rest)| rest.split_once('\''));
    match (words, message.split_once(": ")) {
        (Some((words, _)), Some((what, _))) => format!("{what}: {words}"),
        _ => message.to_owned(),
    }
}

/// Forgets the number of the last error of this thread.
fn forget_cause() {
    // SAFETY: the place of the number is the thread's own.
    unsafe { *libc::__errno_location() = 0 };
}

/// The last error, and why the system refused a call of this thread, if it did since [`forget_cause`]: the MPI library
/// tells that to the terminal alone.
fn last_error_with_cause() -> String {
    let cause = std::io::Error::last_os_error();
    let text = last_error();
    let causes = [libc::ENOSPC, libc::EDQUOT, libc::EIO, libc::EROFS, libc::EFBIG, libc::ESTALE, libc::EACCES];
    let told = cause.raw_os_error().is_some_and(|code| causes.contains(&code));
    let words = cause.to_string();
    let is_in = words.split_once(" (os error").is_some_and(|(words, _)| text.contains(words));
    if told && !is_in { format!("{text}: {words}") } else { text }
}

/// A call that returns a negative number on failure.
fn done(f: impl FnOnce() -> herr_t) -> Outcome<()> {
    library(|| {
        forget_cause();
        if f() < 0 { Err(last_error_with_cause()) } else { Ok(()) }
    })
}

fn open(close: unsafe extern "C" fn(hid_t) -> herr_t, f: impl FnOnce() -> hid_t) -> Outcome<Id> {
    library(|| {
        forget_cause();
        let id = f();
        if id < 0 { Err(last_error_with_cause()) } else { Ok(Id { id, close }) }
    })
}

fn c_text(text: &str) -> Outcome<CString> {
    CString::new(text).map_err(|_| "a name holds a NUL character".to_owned())
}

/// A type of numbers in the file, little endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    F64,
    I64,
    I32,
    I16,
    I8,
    U32,
    /// One byte of a text.
    Char,
}

impl Kind {
    const ALL: [Kind; 7] = [Kind::F64, Kind::I64, Kind::I32, Kind::I16, Kind::I8, Kind::U32, Kind::Char];

    /// The type in the file; in memory too, as every machine we run on is little endian.
    fn datatype(self) -> hid_t {
        match self {
            Kind::F64 => *g::H5T_IEEE_F64LE,
            Kind::I64 => *g::H5T_STD_I64LE,
            Kind::I32 => *g::H5T_STD_I32LE,
            Kind::I16 => *g::H5T_STD_I16LE,
            Kind::I8 => *g::H5T_STD_I8LE,
            Kind::U32 => *g::H5T_STD_U32LE,
            Kind::Char => *g::H5T_C_S1,
        }
    }
}

/// A Rust type that is stored as it lies in memory.
pub(crate) trait Number: Copy + Default + 'static {
    const KIND: Kind;
}
macro_rules! number {
    ($($rust:ty => $kind:ident),*) => { $(impl Number for $rust { const KIND: Kind = Kind::$kind; })* };
}
number!(f64 => F64, i64 => I64, i32 => I32, i16 => I16, i8 => I8, u32 => U32, u8 => Char);

#[cfg(target_endian = "big")]
compile_error!("the result file is little endian and written as it lies in memory");

// ---- property lists ------------------------------------------------------------------------

fn property_list(class: hid_t) -> Outcome<Id> {
    // SAFETY: `class` is one of the library's own classes.
    open(h5p::H5Pclose, || unsafe { h5p::H5Pcreate(class) })
}

/// A creation list for objects with tracked order and without times.
fn creation_list(class: hid_t, is_group: bool) -> Outcome<Id> {
    const ORDER: c_uint = h5p::H5P_CRT_ORDER_TRACKED | h5p::H5P_CRT_ORDER_INDEXED;
    let list = property_list(class)?;
    // SAFETY: `list` is an open creation list of objects.
    done(|| unsafe { h5p::H5Pset_obj_track_times(list.id, 0) })?;
    // SAFETY: as above.
    done(|| unsafe { h5p::H5Pset_attr_creation_order(list.id, ORDER) })?;
    if is_group {
        // SAFETY: `list` is a list for groups or for files, which hold the root group's.
        done(|| unsafe { h5p::H5Pset_link_creation_order(list.id, ORDER) })?;
    }
    Ok(list)
}

fn access_list(communicator: Option<RawCommunicator>) -> Outcome<Id> {
    let list = property_list(*g::H5P_FILE_ACCESS)?;
    // SAFETY: `list` is an open file access list. Locks are our own business (lock.rs); the
    // library's fail on some network file systems.
    done(|| unsafe { h5p::H5Pset_file_locking(list.id, 0, 1) })?;
    let v18 = h5f::H5F_libver_t::H5F_LIBVER_V18;
    // SAFETY: as above.
    done(|| unsafe { h5p::H5Pset_libver_bounds(list.id, v18, v18) })?;
    if let Some(communicator) = communicator {
        // SAFETY: the communicator is alive (a `World` lends it); the library copies it.
        done(|| unsafe { h5p::H5Pset_fapl_mpio(list.id, communicator.communicator, communicator.info) })?;
        // SAFETY: as above. Opening is collective, so that one rank reads the metadata for all.
        done(|| unsafe { h5p::H5Pset_all_coll_metadata_ops(list.id, 1) })?;
    }
    Ok(list)
}

/// A transfer list for collective writing. With `aggregate` the MPI library may pass the data on to a
/// few ranks that write for all; without, each rank writes its own.
pub(crate) fn collective_transfer(aggregate: bool) -> Outcome<Id> {
    let list = property_list(*g::H5P_DATASET_XFER)?;
    let collective = h5p::H5FD_mpio_xfer_t::H5FD_MPIO_COLLECTIVE;
    let how = if aggregate {
        h5p::H5FD_mpio_collective_opt_t::H5FD_MPIO_COLLECTIVE_IO
    } else {
        h5p::H5FD_mpio_collective_opt_t::H5FD_MPIO_INDIVIDUAL_IO
    };
    // SAFETY: `list` is an open transfer list, here and below.
    done(|| unsafe { h5p::H5Pset_dxpl_mpio(list.id, collective) })?;
    // SAFETY: as above.
    done(|| unsafe { h5p::H5Pset_dxpl_mpio_collective_opt(list.id, how) })?;
    Ok(list)
}

/// The reasons of the last transfer for not having been collective, of this and of any rank; 0 is none.
pub(crate) fn no_collective_cause(transfer: &Id) -> Outcome<u32> {
    let (mut local, mut global) = (0, 0);
    // SAFETY: `transfer` is an open transfer list; both pointers are valid.
    done(|| unsafe { H5Pget_mpio_no_collective_cause(transfer.id, &raw mut local, &raw mut global) })?;
    Ok(local | global)
}

// ---- files and groups ----------------------------------------------------------------------

fn c_path(path: &Path) -> Outcome<CString> {
    CString::new(path.as_os_str().as_bytes()).map_err(|_| "the path holds a NUL character".to_owned())
}

/// Creates a file that must not exist, with the serial driver.
pub(crate) fn create_file(path: &Path) -> Outcome<Id> {
    let name = c_path(path)?;
    let (creation, access) = (creation_list(*g::H5P_FILE_CREATE, true)?, access_list(None)?);
    // SAFETY: the name is NUL-terminated, both lists are open.
    open(h5f::H5Fclose, || unsafe { h5f::H5Fcreate(name.as_ptr(), h5f::H5F_ACC_EXCL, creation.id, access.id) })
}

/// Opens a file for reading, alone.
pub(crate) fn open_file(path: &Path) -> Outcome<Id> {
    let name = c_path(path)?;
    let access = access_list(None)?;
    // SAFETY: the name is NUL-terminated, the list is open.
    open(h5f::H5Fclose, || unsafe { h5f::H5Fopen(name.as_ptr(), h5f::H5F_ACC_RDONLY, access.id) })
}

/// Opens a file for writing on all ranks. Collective.
pub(crate) fn open_file_together(path: &Path, communicator: RawCommunicator) -> Outcome<Id> {
    let name = c_path(path)?;
    let access = access_list(Some(communicator))?;
    // SAFETY: the name is NUL-terminated, the list is open.
    open(h5f::H5Fclose, || unsafe { h5f::H5Fopen(name.as_ptr(), h5f::H5F_ACC_RDWR, access.id) })
}

/// Whether a file begins as HDF5 files do.
pub(crate) fn is_hdf5(path: &Path) -> Outcome<bool> {
    let name = c_path(path)?;
    // SAFETY: the name is NUL-terminated.
    Ok(library(|| unsafe { h5f::H5Fis_hdf5(name.as_ptr()) }) > 0)
}

/// Creates a group.
pub(crate) fn create_group(parent: &Id, name: &str) -> Outcome<Id> {
    let name = c_text(name)?;
    let creation = creation_list(*g::H5P_GROUP_CREATE, true)?;
    // SAFETY: the parent and the list are open, the name is NUL-terminated; 0 is the default list.
    open(h5g::H5Gclose, || unsafe { h5g::H5Gcreate2(parent.id, name.as_ptr(), 0, creation.id, 0) })
}

/// The names in a group, in the order of creation.
pub(crate) fn members(group: &Id) -> Outcome<Vec<String>> {
    let mut info = h5g::H5G_info_t::default();
    // SAFETY: the group is open, the pointer valid.
    done(|| unsafe { h5g::H5Gget_info(group.id, &raw mut info) })?;
    let mut names = Vec::new();
    for index in 0..info.nlinks {
        let mut name = [0_u8; 1024];
        // SAFETY: the group is open, "." is a name, the buffer holds the given number of bytes.
        let length = library(|| unsafe {
            h5l::H5Lget_name_by_idx(
                group.id,
                c".".as_ptr(),
                H5_index_t::H5_INDEX_CRT_ORDER,
                H5_iter_order_t::H5_ITER_INC,
                index,
                name.as_mut_ptr().cast(),
                name.len(),
                0,
            )
        });
        let length = usize::try_from(length).map_err(|_| last_error())?;
        names.push(String::from_utf8_lossy(&name[..length.min(name.len() - 1)]).into_owned());
    }
    Ok(names)
}

/// What a name stands for.
pub(crate) enum Object {
    Group(Id),
    Dataset(Id),
    Other,
}

/// Opens whatever has this name.
pub(crate) fn open_object(parent: &Id, name: &str) -> Outcome<Object> {
    let name = c_text(name)?;
    // SAFETY: the parent is open, the name NUL-terminated.
    let id = open(h5o::H5Oclose, || unsafe { h5o::H5Oopen(parent.id, name.as_ptr(), 0) })?;
    // SAFETY: `id` is open.
    Ok(match library(|| unsafe { h5i::H5Iget_type(id.id) }) {
        H5I_type_t::H5I_GROUP => Object::Group(id),
        H5I_type_t::H5I_DATASET => Object::Dataset(id),
        _ => Object::Other,
    })
}

// ---- attributes and scales -----------------------------------------------------------------

fn text_type(bytes: usize) -> Outcome<Id> {
    // SAFETY: a copy of a type of the library.
    let id = open(h5t::H5Tclose, || unsafe { h5t::H5Tcopy(*g::H5T_C_S1) })?;
    // SAFETY: `id` is an open, own string type, here and below.
    done(|| unsafe { h5t::H5Tset_size(id.id, bytes) })?;
    // SAFETY: as above.
    done(|| unsafe { h5t::H5Tset_strpad(id.id, h5t::H5T_str_t::H5T_STR_NULLTERM) })?;
    // SAFETY: as above.
    done(|| unsafe { h5t::H5Tset_cset(id.id, h5t::H5T_cset_t::H5T_CSET_UTF8) })?;
    Ok(id)
}

/// A space of these dimensions; none is a single value.
pub(crate) fn space(dims: &[u64]) -> Outcome<Id> {
    if dims.is_empty() {
        // SAFETY: a plain call.
        return open(h5s::H5Sclose, || unsafe { h5s::H5Screate(h5s::H5S_class_t::H5S_SCALAR) });
    }
    // SAFETY: `dims` holds as many sizes as said.
    open(h5s::H5Sclose, || unsafe { h5s::H5Screate_simple(dims.len() as c_int, dims.as_ptr(), std::ptr::null()) })
}

/// Writes a text attribute, NUL-terminated UTF-8.
pub(crate) fn set_text(object: &Id, name: &str, text: &str) -> Outcome<()> {
    let bytes = c_text(text)?.into_bytes_with_nul();
    let datatype = text_type(bytes.len())?;
    set_attribute(object, name, datatype.id, &[], bytes.as_ptr().cast())
}

/// Writes an attribute of several numbers.
pub(crate) fn set_numbers<T: Number>(object: &Id, name: &str, values: &[T]) -> Outcome<()> {
    set_attribute(object, name, T::KIND.datatype(), &[values.len() as u64], values.as_ptr().cast())
}

/// Writes an attribute of one number.
pub(crate) fn set_number<T: Number>(object: &Id, name: &str, value: T) -> Outcome<()> {
    set_attribute(object, name, T::KIND.datatype(), &[], (&raw const value).cast())
}

/// The callers above give data of that type and shape.
fn set_attribute(object: &Id, name: &str, datatype: hid_t, dims: &[u64], data: *const std::ffi::c_void) -> Outcome<()> {
    let (name, space) = (c_text(name)?, space(dims)?);
    // SAFETY: object, type and space are open, the name is NUL-terminated.
    let attribute =
        open(h5a::H5Aclose, || unsafe { h5a::H5Acreate2(object.id, name.as_ptr(), datatype, space.id, 0, 0) })?;
    // SAFETY: `data` holds what type and space say.
    done(|| unsafe { h5a::H5Awrite(attribute.id, datatype, data) })
}

/// Whether an object has an attribute.
pub(crate) fn has_attribute(object: &Id, name: &str) -> Outcome<bool> {
    let name = c_text(name)?;
    // SAFETY: the object is open, the name NUL-terminated.
    Ok(library(|| unsafe { h5a::H5Aexists(object.id, name.as_ptr()) }) > 0)
}

/// A text attribute, if there is one and it is a single text of fixed length.
pub(crate) fn text(object: &Id, name: &str) -> Outcome<Option<String>> {
    if !has_attribute(object, name)? {
        return Ok(None);
    }
    let name = c_text(name)?;
    // SAFETY: the object is open, the name NUL-terminated.
    let attribute = open(h5a::H5Aclose, || unsafe { h5a::H5Aopen(object.id, name.as_ptr(), 0) })?;
    // SAFETY: the attribute is open, here and below.
    let datatype = open(h5t::H5Tclose, || unsafe { h5a::H5Aget_type(attribute.id) })?;
    // SAFETY: as above.
    let space = open(h5s::H5Sclose, || unsafe { h5a::H5Aget_space(attribute.id) })?;
    let Some(bytes) = fixed_text_bytes(&datatype).filter(|&bytes| bytes <= 65_536) else { return Ok(None) };
    if points(&space) != 1 {
        return Ok(None);
    }
    let mut buffer = vec![0_u8; bytes];
    // SAFETY: the buffer holds one text of that type.
    done(|| unsafe { h5a::H5Aread(attribute.id, datatype.id, buffer.as_mut_ptr().cast()) })?;
    Ok(Some(until_nul(&buffer)))
}

/// An attribute of one number of exactly this type, if there is one.
pub(crate) fn number<T: Number>(object: &Id, name: &str) -> Outcome<Option<T>> {
    if !has_attribute(object, name)? {
        return Ok(None);
    }
    let name = c_text(name)?;
    // SAFETY: the object is open, the name NUL-terminated.
    let attribute = open(h5a::H5Aclose, || unsafe { h5a::H5Aopen(object.id, name.as_ptr(), 0) })?;
    // SAFETY: the attribute is open, here and below.
    let datatype = open(h5t::H5Tclose, || unsafe { h5a::H5Aget_type(attribute.id) })?;
    // SAFETY: as above.
    let space = open(h5s::H5Sclose, || unsafe { h5a::H5Aget_space(attribute.id) })?;
    // SAFETY: both types are open.
    let same = library(|| unsafe { h5t::H5Tequal(datatype.id, T::KIND.datatype()) }) > 0;
    if !same || points(&space) != 1 {
        return Ok(None);
    }
    let mut value = T::default();
    // SAFETY: `value` has room for one number of that type.
    done(|| unsafe { h5a::H5Aread(attribute.id, datatype.id, (&raw mut value).cast()) })?;
    Ok(Some(value))
}

/// An attribute of several numbers of exactly this type; none where there is no such attribute.
pub(crate) fn numbers<T: Number>(object: &Id, name: &str) -> Outcome<Vec<T>> {
    if !has_attribute(object, name)? {
        return Ok(Vec::new());
    }
    let c_name = c_text(name)?;
    // SAFETY: the object is open, the name NUL-terminated.
    let attribute = open(h5a::H5Aclose, || unsafe { h5a::H5Aopen(object.id, c_name.as_ptr(), 0) })?;
    // SAFETY: the attribute is open, here and below.
    let datatype = open(h5t::H5Tclose, || unsafe { h5a::H5Aget_type(attribute.id) })?;
    // SAFETY: as above.
    let space = open(h5s::H5Sclose, || unsafe { h5a::H5Aget_space(attribute.id) })?;
    // SAFETY: both types are open.
    let same = library(|| unsafe { h5t::H5Tequal(datatype.id, T::KIND.datatype()) }) > 0;
    let count = usize::try_from(points(&space)).ok().filter(|&count| same && count <= 65_536);
    let mut values = vec![T::default(); count.ok_or_else(|| format!("`{name}` holds other numbers than expected"))?];
    // SAFETY: `values` has room for all numbers of that type.
    done(|| unsafe { h5a::H5Aread(attribute.id, datatype.id, values.as_mut_ptr().cast()) })?;
    Ok(values)
}

/// The names of an object's attributes, in the order of creation.
pub(crate) fn attribute_names(object: &Id) -> Outcome<Vec<String>> {
    const MOST: u64 = 1000;
    let mut names = Vec::new();
    for index in 0..MOST {
        // SAFETY: the object is open, "." is a name; 0 is the default list.
        let attribute = open(h5a::H5Aclose, || unsafe {
            let (by, order) = (H5_index_t::H5_INDEX_CRT_ORDER, H5_iter_order_t::H5_ITER_INC);
            h5a::H5Aopen_by_idx(object.id, c".".as_ptr(), by, order, index, 0, 0)
        });
        let Ok(attribute) = attribute else { break };
        let mut name = [0_u8; 1024];
        // SAFETY: the attribute is open, the buffer holds the given number of bytes.
        let length = library(|| unsafe { h5a::H5Aget_name(attribute.id, name.len(), name.as_mut_ptr().cast()) });
        let length = usize::try_from(length).map_err(|_| last_error())?;
        names.push(String::from_utf8_lossy(&name[..length.min(name.len() - 1)]).into_owned());
    }
    Ok(names)
}

fn fixed_text_bytes(datatype: &Id) -> Option<usize> {
    // SAFETY: the type is open.
    library(|| unsafe {
        let is_text = h5t::H5Tget_class(datatype.id) == h5t::H5T_class_t::H5T_STRING;
        (is_text && h5t::H5Tis_variable_str(datatype.id) == 0).then(|| h5t::H5Tget_size(datatype.id))
    })
}

/// The text before the first NUL.
pub(crate) fn until_nul(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes.split(|&byte| byte == 0).next().unwrap_or_default()).into_owned()
}

/// Makes a dataset the scale of a dimension of that name.
pub(crate) fn set_scale(dataset: &Id, name: &str) -> Outcome<()> {
    let name = c_text(name)?;
    // SAFETY: the dataset is open, the name NUL-terminated.
    done(|| unsafe { H5DSset_scale(dataset.id, name.as_ptr()) })
}

/// Says that a dimension of a dataset has that scale.
pub(crate) fn attach_scale(dataset: &Id, scale: &Id, dimension: u32) -> Outcome<()> {
    // SAFETY: both datasets are open.
    done(|| unsafe { H5DSattach_scale(dataset.id, scale.id, dimension) })
}

// ---- datasets ------------------------------------------------------------------------------

/// What stands in a new dataset's space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fill {
    /// Whatever the new file holds there.
    Never,
    /// Zeros, written at once.
    Zero,
}

/// Creates a contiguous dataset whose space is taken at once.
pub(crate) fn create_dataset(parent: &Id, name: &str, kind: Kind, dims: &[u64], fill: Fill) -> Outcome<Id> {
    create_dataset_of(parent, name, kind.datatype(), dims, fill)
}

fn create_dataset_of(parent: &Id, name: &str, datatype: hid_t, dims: &[u64], fill: Fill) -> Outcome<Id> {
    let (name, space) = (c_text(name)?, space(dims)?);
    let list = creation_list(*g::H5P_DATASET_CREATE, false)?;
    // SAFETY: `list` is an open dataset creation list, here and below.
    done(|| unsafe { h5p::H5Pset_layout(list.id, h5d::H5D_layout_t::H5D_CONTIGUOUS) })?;
    // SAFETY: as above.
    done(|| unsafe { h5p::H5Pset_alloc_time(list.id, h5d::H5D_alloc_time_t::H5D_ALLOC_TIME_EARLY) })?;
    let time = match fill {
        Fill::Never => h5d::H5D_fill_time_t::H5D_FILL_TIME_NEVER,
        Fill::Zero => h5d::H5D_fill_time_t::H5D_FILL_TIME_ALLOC,
    };
    // SAFETY: as above. The default fill value is zero.
    done(|| unsafe { h5p::H5Pset_fill_time(list.id, time) })?;
    // SAFETY: everything is open, the name NUL-terminated; 0 is the default list.
    open(h5d::H5Dclose, || unsafe { h5d::H5Dcreate2(parent.id, name.as_ptr(), datatype, space.id, 0, list.id, 0) })
}

/// Creates a dataset of a single text, NUL-terminated UTF-8 of fixed length.
pub(crate) fn create_text(parent: &Id, name: &str, text: &str) -> Outcome<()> {
    // A NUL inside would end the text early for every reader.
    let bytes = c_text(text).map_err(|_| "the text holds a NUL character".to_owned())?.into_bytes_with_nul();
    let datatype = text_type(bytes.len())?;
    let dataset = create_dataset_of(parent, name, datatype.id, &[], Fill::Never)?;
    // SAFETY: `bytes` holds one text of that type.
    done(|| unsafe { h5d::H5Dwrite(dataset.id, datatype.id, 0, 0, 0, bytes.as_ptr().cast()) })
}

/// Opens a dataset.
pub(crate) fn open_dataset(parent: &Id, name: &str) -> Outcome<Id> {
    let name = c_text(name)?;
    // SAFETY: the parent is open, the name NUL-terminated.
    open(h5d::H5Dclose, || unsafe { h5d::H5Dopen2(parent.id, name.as_ptr(), 0) })
}

/// What a dataset is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DatasetInfo {
    /// The type of its numbers, if it is one of ours.
    pub(crate) kind: Option<Kind>,
    /// The bytes of its texts, if it holds texts of fixed length.
    pub(crate) text_bytes: Option<usize>,
    /// Its dimensions.
    pub(crate) dims: Vec<u64>,
}

/// Describes a dataset; one whose numbers lie in another file is refused.
pub(crate) fn info(dataset: &Id) -> Outcome<DatasetInfo> {
    // SAFETY: the dataset is open, here and below.
    let datatype = open(h5t::H5Tclose, || unsafe { h5d::H5Dget_type(dataset.id) })?;
    // SAFETY: as above.
    let space = open(h5s::H5Sclose, || unsafe { h5d::H5Dget_space(dataset.id) })?;
    // SAFETY: as above.
    let creation = open(h5p::H5Pclose, || unsafe { h5d::H5Dget_create_plist(dataset.id) })?;
    // SAFETY: the list is open.
    let (layout, external) =
        library(|| unsafe { (h5p::H5Pget_layout(creation.id), h5p::H5Pget_external_count(creation.id)) });
    let inside = [h5d::H5D_layout_t::H5D_COMPACT, h5d::H5D_layout_t::H5D_CONTIGUOUS, h5d::H5D_layout_t::H5D_CHUNKED];
    if external != 0 || !inside.contains(&layout) {
        return Err("its numbers are in another file".to_owned());
    }
    let mut dims = [0; 32];
    // SAFETY: a space has at most 32 dimensions.
    let rank = library(|| unsafe { h5s::H5Sget_simple_extent_dims(space.id, dims.as_mut_ptr(), std::ptr::null_mut()) });
    let rank = usize::try_from(rank).map_err(|_| last_error())?;
    // SAFETY: both types are open.
    let same = |kind: &Kind| library(|| unsafe { h5t::H5Tequal(datatype.id, kind.datatype()) }) > 0;
    let kind = Kind::ALL.into_iter().find(same);
    Ok(DatasetInfo { kind, text_bytes: fixed_text_bytes(&datatype), dims: dims[..rank].to_vec() })
}

/// Where the numbers of a contiguous dataset begin in the file.
pub(crate) fn offset(dataset: &Id) -> Outcome<u64> {
    // SAFETY: the dataset is open.
    let offset = library(|| unsafe { h5d::H5Dget_offset(dataset.id) });
    if offset == u64::MAX { Err("its numbers are not in one piece".to_owned()) } else { Ok(offset) }
}

fn points(space: &Id) -> i64 {
    // SAFETY: the space is open.
    library(|| unsafe { h5s::H5Sget_select_npoints(space.id) })
}

/// Part of a dataset's rows.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part<'a> {
    /// Nothing, for a rank that takes part without rows.
    Nothing,
    /// Stretches of whole rows: the first and how many. The library joins them one by one, at a
    /// cost that grows with the square of their number.
    Stretches(&'a [(u64, u64)]),
    /// Single values of a dataset of one dimension.
    Values(&'a [u64]),
}

/// The part's space in the file and the same amount in memory.
pub(crate) fn select(dims: &[u64], part: Part<'_>) -> Outcome<(Id, Id)> {
    let file = space(dims)?;
    match part {
        Part::Nothing => {
            // SAFETY: the space is open.
            done(|| unsafe { h5s::H5Sselect_none(file.id) })?;
        }
        Part::Stretches(stretches) => {
            let mut count: Vec<hsize_t> = dims.to_vec();
            let mut start: Vec<hsize_t> = vec![0; dims.len()];
            for (index, &(first, rows)) in stretches.iter().enumerate() {
                (start[0], count[0]) = (first, rows);
                let how =
                    if index == 0 { h5s::H5S_seloper_t::H5S_SELECT_SET } else { h5s::H5S_seloper_t::H5S_SELECT_OR };
                let (null, start, count) = (std::ptr::null(), start.as_ptr(), count.as_ptr());
                // SAFETY: start and count have one entry a dimension.
                done(|| unsafe { h5s::H5Sselect_hyperslab(file.id, how, start, null, count, null) })?;
            }
        }
        Part::Values(values) => {
            let set = h5s::H5S_seloper_t::H5S_SELECT_SET;
            if dims.len() != 1 {
                return Err("single values of a dataset of several dimensions".to_owned());
            }
            // SAFETY: one coordinate a value, as there is one dimension.
            done(|| unsafe { h5s::H5Sselect_elements(file.id, set, values.len(), values.as_ptr()) })?;
        }
    }
    // SAFETY: the space is open.
    if library(|| unsafe { h5s::H5Sselect_valid(file.id) }) <= 0 {
        return Err("the rows are outside the dataset".to_owned());
    }
    let memory = space(&[points(&file).cast_unsigned()])?;
    if matches!(part, Part::Nothing) {
        // SAFETY: the space is open.
        done(|| unsafe { h5s::H5Sselect_none(memory.id) })?;
    }
    Ok((file, memory))
}

/// Writes a part; with a collective transfer list every rank must call it.
///
/// # Panics
/// If there are not as many values as places: a bug, and to return would leave the other ranks waiting.
pub(crate) fn write<T: Number>(
    dataset: &Id,
    (file, memory): &(Id, Id),
    transfer: Option<&Id>,
    data: &[T],
) -> Outcome<()> {
    assert_eq!(points(memory), data.len() as i64, "one value a place");
    let transfer = transfer.map_or(0, |list| list.id);
    // SAFETY: everything is open; `data` holds as many values as the memory space selects, of
    // the type given; a type that differs from the dataset's is converted.
    done(|| unsafe {
        h5d::H5Dwrite(dataset.id, T::KIND.datatype(), memory.id, file.id, transfer, data.as_ptr().cast())
    })
}

/// Reads a box of a dataset of exactly this type.
pub(crate) fn read<T: Number>(dataset: &Id, start: &[u64], count: &[u64]) -> Outcome<Vec<T>> {
    let info = info(dataset)?;
    if info.kind != Some(T::KIND) || info.dims.len() != start.len() || start.len() != count.len() {
        return Err("it has another type or number of dimensions than expected".to_owned());
    }
    let inside =
        |((&start, &count), &size): ((&u64, &u64), &u64)| start.checked_add(count).is_some_and(|end| end <= size);
    if !start.iter().zip(count).zip(&info.dims).all(inside) {
        return Err("it is shorter than expected".to_owned());
    }
    let total = count.iter().try_fold(1_u64, |product, &n| product.checked_mul(n)).unwrap_or(u64::MAX);
    if total > 1 << 31 {
        return Err("too many values at once".to_owned());
    }
    let mut data = vec![T::default(); total as usize];
    if total == 0 {
        return Ok(data);
    }
    let (file, memory) = (space(&info.dims)?, space(&[total])?);
    if !start.is_empty() {
        let (set, null) = (h5s::H5S_seloper_t::H5S_SELECT_SET, std::ptr::null());
        // SAFETY: start and count have one entry a dimension.
        done(|| unsafe { h5s::H5Sselect_hyperslab(file.id, set, start.as_ptr(), null, count.as_ptr(), null) })?;
    }
    // SAFETY: everything is open; `data` has room for all values of that type.
    done(|| unsafe { h5d::H5Dread(dataset.id, T::KIND.datatype(), memory.id, file.id, 0, data.as_mut_ptr().cast()) })?;
    Ok(data)
}

/// Reads a dataset of a single text of at most `most` bytes.
pub(crate) fn read_text(dataset: &Id, most: usize) -> Outcome<String> {
    let info = info(dataset)?;
    let bytes = info.text_bytes.filter(|_| info.dims.is_empty()).ok_or("it is no single text of fixed length")?;
    if bytes > most {
        return Err(format!("it has {bytes} bytes, more than {most}"));
    }
    let mut buffer = vec![0_u8; bytes];
    // SAFETY: the dataset is open.
    let datatype = open(h5t::H5Tclose, || unsafe { h5d::H5Dget_type(dataset.id) })?;
    // SAFETY: the buffer holds one text of that type.
    done(|| unsafe { h5d::H5Dread(dataset.id, datatype.id, 0, 0, 0, buffer.as_mut_ptr().cast()) })?;
    Ok(until_nul(&buffer))
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn a_message_keeps_what_and_why() {
        let long = "file write failed: time = Tue Dec  1 03:40:22 2026\n, filename = 'a', file descriptor = 17, errno = 28, \
                    error message = 'No space left on device', buf = 0x55, total write size = 9";
        assert_eq!(plain(long), "file write failed: No space left on device");
        assert_eq!(plain("can't write data"), "can't write data");
        assert_eq!(
            plain("MPI_File_open failed: MPI error string is 'x'"),
            "MPI_File_open failed: MPI error string is 'x'"
        );
    }
}
