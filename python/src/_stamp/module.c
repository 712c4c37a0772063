/* The module: what it has. */
#include "stamp.h"

static PyObject *version(PyObject *module, PyObject *none)
{
    (void)module, (void)none;
    return PyUnicode_FromString(fourstamp_version());
}

static PyMethodDef functions[] = {
    {"create", create_run, METH_VARARGS, "create(path, workload, transport): a new run."},
    {"join", join_run, METH_O, "join(path): a run that another process has made."},
    {"version", version, METH_NOARGS, "The version of libfourstamp."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_stamp", "fourstamp.h for Python.", -1, functions,
    NULL,                  NULL,     NULL,                      NULL,
};

static const struct {
    const char *name;
    long value;
} numbers[] = {
    {"DATA", FOURSTAMP_DATA},
    {"REPLY", FOURSTAMP_REPLY},
    {"ACK", FOURSTAMP_ACK},
    {"OTHER", FOURSTAMP_OTHER},
    {"HEADER_BYTES", FOURSTAMP_HEADER_BYTES},
};

static int add_all(PyObject *module)
{
    size_t at;
    for (at = 0; at < sizeof numbers / sizeof *numbers; at++) {
        if (PyModule_AddIntConstant(module, numbers[at].name, numbers[at].value) < 0) {
            return -1;
        }
    }
    return load_errors() < 0 || add_run_type(module) < 0 ? -1 : add_stamper_type(module);
}

PyMODINIT_FUNC PyInit__stamp(void)
{
    PyObject *module = PyModule_Create(&definition);
    if (module != NULL && add_all(module) < 0) {
        Py_DECREF(module);
        return NULL;
    }
    return module;
}
