/* Numbers and headers out of Python's objects. */
#include "stamp.h"

static int no_such_number(PyObject *value, const char *name, uint64_t largest)
{
    PyErr_Clear();
    if (!PyLong_Check(value)) {
        PyErr_Format(PyExc_TypeError, "%s must be an int, not %R", name, value);
    } else {
        raise_argument("%s is %S; it must be 0 to %llu", name, value, (unsigned long long)largest);
    }
    return -1;
}

/* Asks first and looks afterwards why not: in the limited interface each look is a call. */
int whole_number(PyObject *value, const char *name, uint64_t largest, uint64_t *number)
{
    unsigned long long found = PyLong_AsUnsignedLongLong(value);
    if (found > largest || (found == (unsigned long long)-1 && PyErr_Occurred())) {
        return no_such_number(value, name, largest);
    }
    *number = found;
    return 0;
}

int moment(PyObject *value, const char *name, uint64_t *ticks)
{
    if (value == Py_None) {
        *ticks = FOURSTAMP_ABSENT;
        return 0;
    }
    return whole_number(value, name, FOURSTAMP_ABSENT - 1, ticks);
}

/* The 32 bytes, which live as long as `owner`. */
const void *header_bytes(PyObject *value, PyObject **owner)
{
    Py_ssize_t length;
    if (PyBytes_Check(value)) {
        Py_INCREF(value);
        *owner = value;
    } else if (PyByteArray_Check(value) || PyMemoryView_Check(value)) {
        /* Views of memory are no part of the interface of 3.9. */
        *owner = PyBytes_FromObject(value);
    } else {
        PyErr_Format(PyExc_TypeError, "header must be bytes, not %R", value);
        return NULL;
    }
    if (*owner == NULL) {
        return NULL;
    }
    length = PyBytes_Size(*owner);
    if (length != FOURSTAMP_HEADER_BYTES) {
        raise_argument("header has %zd bytes; it must have %d", length, FOURSTAMP_HEADER_BYTES);
        Py_DECREF(*owner);
        return NULL;
    }
    return PyBytes_AsString(*owner);
}
