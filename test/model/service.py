"""Runs the command and the service under test: only their arguments, exit codes, JSON and HTTP are used."""

import json
import os
import signal
import socket
import subprocess
import threading
import urllib.error
import urllib.parse
import urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MAIN = os.path.join(ROOT, 'dist', 'cli', 'main.js')


def free_port():
    with socket.socket() as listener:
        listener.bind(('127.0.0.1', 0))
        return listener.getsockname()[1]


class Result:
    """What a command printed, and its exit code."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    @property
    def json(self):
        return json.loads(self.out)


class Service:
    """A database below `folder` with a service on a free port, and the commands on it."""

    def __init__(self, folder, port=None):
        self.folder = folder
        os.makedirs(folder, exist_ok=True)
        os.chmod(folder, 0o755)
        self.port = port or free_port()
        self.process = None
        self.keys = {}
        self.env = {
            'PATH': os.environ['PATH'],
            'HOME': folder,
            'METRICS_ENV': 'production',
            'DATA_DIR': os.path.join(folder, 'data'),
            'PORT': str(self.port),
            'ADMIN_PORT': str(free_port()),
            'RATE_LIMIT': '1000000',
            'LOG_LEVEL': 'warn',
            'MAX_EVENT_LOOP_DELAY_MS': '60000',
        }

    def run(self, *args, stdin=None, timeout=180):
        done = subprocess.run(
            ['node', MAIN, *args],
            input=stdin,
            env=self.env,
            capture_output=True,
            text=True,
            timeout=timeout,
            cwd=self.folder,
        )
        return Result(done.returncode, done.stdout, done.stderr)

    def must(self, *args, **options):
        result = self.run(*args, **options)
        if result.code != 0:
            raise RuntimeError(f'{" ".join(args)} failed ({result.code}): {result.err}{result.out}')
        return result

    def start(self):
        self.log = open(os.path.join(self.folder, 'serve.log'), 'ab')
        self.process = subprocess.Popen(
            ['node', MAIN, 'serve'], env=self.env, stdout=subprocess.PIPE, stderr=self.log, text=True, cwd=self.folder
        )
        for line in self.process.stdout:
            if line.startswith('listening on'):
                threading.Thread(target=self.process.stdout.read, daemon=True).start()
                return
        raise RuntimeError(f'the service did not start; see {self.folder}/serve.log')

    def stop(self):
        if self.process:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(60)
            self.process = None
            self.log.close()

    def get(self, path, key, **query):
        """Returns the status and the bytes of a response."""
        query = urllib.parse.urlencode({name: value for name, value in query.items() if value is not None})
        url = f'http://127.0.0.1:{self.port}{path}' + (f'?{query}' if query else '')
        request = urllib.request.Request(url, headers={'X-API-Key': self.keys[key]})
        try:
            with urllib.request.urlopen(request, timeout=120) as response:
                return response.status, response.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()

    def read(self, path, key, **query):
        status, body = self.get(path, key, **query)
        if status != 200:
            raise RuntimeError(f'{path} {query}: {status} {body.decode()}')
        return json.loads(body)

    def lines(self, path, key, **query):
        """Returns all rows of a list, streamed as NDJSON."""
        status, body = self.get(path, key, output='ndjson', **query)
        if status != 200:
            raise RuntimeError(f'{path} {query}: {status} {body.decode()}')
        return [json.loads(line) for line in body.splitlines()]
