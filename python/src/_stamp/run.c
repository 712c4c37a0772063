/* RunFolder: a run that is being written. */
#include "stamp.h"

typedef struct {
    PyObject_HEAD
    fourstamp_run *run;
    PyObject *path; /* bytes */
    int made;       /* by this process, which closes it */
    int ended;
} RunFolder;

PyTypeObject *run_type;

static PyObject *publish(fourstamp_run *run, PyObject *path, int made)
{
    allocfunc make = (allocfunc)PyType_GetSlot(run_type, Py_tp_alloc);
    RunFolder *folder = (RunFolder *)make(run_type, 0);
    if (folder == NULL) {
        fourstamp_leave(run);
        Py_DECREF(path);
        return NULL;
    }
    folder->run = run;
    folder->path = path;
    folder->made = made;
    return (PyObject *)folder;
}

PyObject *create_run(PyObject *module, PyObject *arguments)
{
    fourstamp_run_options options = FOURSTAMP_RUN_OPTIONS_INIT;
    fourstamp_run *run;
    PyObject *path;
    int code;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O&zz", PyUnicode_FSConverter, &path, &options.workload,
                          &options.transport)) {
        return NULL;
    }
    code = fourstamp_create(PyBytes_AsString(path), &options, &run);
    if (code != FOURSTAMP_OK) {
        Py_DECREF(path);
        return raise_last(code);
    }
    return publish(run, path, 1);
}

PyObject *join_run(PyObject *module, PyObject *given)
{
    fourstamp_run *run;
    PyObject *path;
    int code;
    (void)module;
    if (!PyUnicode_FSConverter(given, &path)) {
        return NULL;
    }
    code = fourstamp_join(PyBytes_AsString(path), &run);
    if (code != FOURSTAMP_OK) {
        Py_DECREF(path);
        return raise_last(code);
    }
    return publish(run, path, 0);
}

/* A closed one is told by the library, in its words. */
static PyObject *run_node(PyObject *self, PyObject *arguments, PyObject *named)
{
    return open_stamper(self, ((RunFolder *)self)->run, arguments, named);
}

static PyObject *run_leave(PyObject *self, PyObject *none)
{
    int code = fourstamp_leave(((RunFolder *)self)->run);
    (void)none;
    if (code != FOURSTAMP_OK) {
        return raise_last(code);
    }
    ((RunFolder *)self)->ended = 1;
    Py_RETURN_NONE;
}

static PyObject *run_close(PyObject *self, PyObject *none)
{
    RunFolder *folder = (RunFolder *)self;
    uint64_t messages = 0;
    int code;
    (void)none;
    folder->ended = 1;
    Py_BEGIN_ALLOW_THREADS
    code = fourstamp_close(folder->run, &messages);
    Py_END_ALLOW_THREADS
    /* The text of what went wrong is this thread's own, so it is still there. */
    return code == FOURSTAMP_OK ? PyLong_FromUnsignedLongLong(messages) : raise_last(code);
}

static PyObject *run_enter(PyObject *self, PyObject *none)
{
    (void)none;
    Py_INCREF(self);
    return self;
}

/* After an exception nobody waits for nodes that may never finish: the first reader closes it. */
static PyObject *run_exit(PyObject *self, PyObject *raised)
{
    RunFolder *folder = (RunFolder *)self;
    PyObject *done;
    if (folder->ended) {
        Py_RETURN_NONE;
    }
    if (PyTuple_Size(raised) > 0 && PyTuple_GetItem(raised, 0) != Py_None) {
        folder->ended = 1;
        fourstamp_leave(folder->run);
        Py_RETURN_NONE;
    }
    done = folder->made ? run_close(self, NULL) : run_leave(self, NULL);
    if (done == NULL) {
        return NULL;
    }
    Py_DECREF(done);
    Py_RETURN_NONE;
}

static PyObject *run_path(PyObject *self, void *none)
{
    PyObject *path = ((RunFolder *)self)->path;
    (void)none;
    return PyUnicode_DecodeFSDefaultAndSize(PyBytes_AsString(path), PyBytes_Size(path));
}

static PyObject *run_repr(PyObject *self)
{
    PyObject *path = run_path(self, NULL);
    PyObject *text = path == NULL ? NULL : PyUnicode_FromFormat("<fourstamp.RunFolder %R>", path);
    Py_XDECREF(path);
    return text;
}

/* create() and join() make them. */
static PyObject *run_new(PyTypeObject *type, PyObject *arguments, PyObject *named)
{
    (void)type, (void)arguments, (void)named;
    PyErr_SetString(PyExc_TypeError, "call fourstamp.create() or fourstamp.join()");
    return NULL;
}

static void run_dealloc(PyObject *self)
{
    RunFolder *folder = (RunFolder *)self;
    PyTypeObject *type = Py_TYPE(self);
    PyObject *kind, *value, *trace;
    PyErr_Fetch(&kind, &value, &trace);
    /* In a forked child it is the parent's, and leaving it fails. */
    if (!folder->ended && fourstamp_leave(folder->run) == FOURSTAMP_OK) {
        warn_unclosed(self, folder->made ? "close" : "leave");
    }
    PyErr_Restore(kind, value, trace);
    Py_XDECREF(folder->path);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

static PyMethodDef methods[] = {
    {"node", (PyCFunction)(void (*)(void))run_node, METH_VARARGS | METH_KEYWORDS,
     "node($self, number, /, *, capacity_rows=0, in_memory=False, wait=False, halves=False)\n--\n\n"
     "A Stamper for node `number` of the run. Each node has a number of its own, 0 to 65535, also\n"
     "across processes. Its buffer holds `capacity_rows` messages of 64 bytes (0: 262144), and is\n"
     "written to disk all the time, or at the end where `in_memory`. When it is full, rows are\n"
     "dropped and counted, or recording waits (`wait`). With `halves` messages carry no header."},
    {"leave", run_leave, METH_NOARGS,
     "leave($self, /)\n--\n\n"
     "The end of this process's part; the process that made the run closes it."},
    {"close", run_close, METH_NOARGS,
     "close($self, /)\n--\n\n"
     "Put all stamps on the run's timeline, write its files, and return the number of messages.\n"
     "All its nodes must have finished; waits up to 10 seconds for those of other processes.\n"
     "Where it fails nothing is lost: the first reader closes the run."},
    {"__enter__", run_enter, METH_NOARGS, NULL},
    {"__exit__", run_exit, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef properties[] = {
    {"path", run_path, NULL, "The folder.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, "A run that is being written: see create() and join(). `with` ends it: the\n"
                "process that made it closes it, any other leaves it."},
    {Py_tp_new, run_new},
    {Py_tp_methods, methods},
    {Py_tp_getset, properties},
    {Py_tp_repr, run_repr},
    {Py_tp_dealloc, run_dealloc},
    {0, NULL},
};

static PyType_Spec spec = {"fourstamp.RunFolder", sizeof(RunFolder), 0, Py_TPFLAGS_DEFAULT, slots};

int add_run_type(PyObject *module)
{
    run_type = (PyTypeObject *)PyType_FromSpec(&spec);
    if (run_type == NULL) {
        return -1;
    }
    Py_INCREF(run_type); /* the module's; ours stays */
    return PyModule_AddObject(module, "RunFolder", (PyObject *)run_type);
}
