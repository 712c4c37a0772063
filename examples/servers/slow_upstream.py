"""A slow upstream: every 1000th answer takes 0.3 s. `nodelay`: without Nagle's algorithm."""
import itertools, sys, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

number = itertools.count(1)

class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = "nodelay" in sys.argv

    def do_GET(self):
        if next(number) % 1000 == 0:
            begun = time.time()
            time.sleep(0.3)
            print(f"slow: {1000 * (time.time() - begun):.1f} ms", flush=True)
        self.send_response(200)
        self.send_header("Content-Length", "4000")
        self.end_headers()
        self.wfile.write(b"x" * 4000)

    def log_message(self, *_):
        pass

ThreadingHTTPServer.request_queue_size = 128
ThreadingHTTPServer(("127.0.0.1", 7481), Handler).serve_forever()
