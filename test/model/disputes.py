"""Random histories against an oracle written from the contract: prints each difference after its commands.

python3 test/model/disputes.py [--seed N] [--histories N] [--steps N] [--folder DIR]
"""

import argparse
import json
import os
import random
import shutil
import sys
import tempfile
import time
import traceback

from checks import Checks
from follower import Follower, Pulled
from history import KEYS, Difference, History
from service import Service
from steps import Steps


class Run(Checks):
    def __init__(self, folder, seed, log):
        self.history = History(folder, log)
        self.steps = Steps(self.history, seed)
        self.random = random.Random(seed + 1)
        self.log, self.folder = log, folder
        self.differences = []

    def transfer(self):
        """Moves everything to a new database, as a backup does."""
        history = self.history
        history.databases += 1
        folder = os.path.join(self.folder, f'export{history.databases}')
        history.service.must('export', 'all', '--output', folder)
        history.service.stop()
        former = history.service
        history.service = Service(os.path.join(self.folder, f'database{history.databases}'), former.port)
        history.service.keys = former.keys
        history.service.must('migrate')
        history.service.must('import', 'all', folder)
        history.service.start()
        history.script.append((['export', 'all and', 'import', 'all'], None, 0))
        self.log('  moved to a new database')
        for follower in self.followers:
            follower.service = history.service

    def play(self, steps):
        history = self.history
        history.begin()
        self.steps.begin()
        self.followers = [Follower(history.service, key) for key in KEYS]
        self.pulled = Pulled(os.path.join(self.folder, 'copy'), 'ab')
        moves = {
            self.random.randrange(steps // 3, steps): self.transfer,
            self.random.randrange(steps // 3, steps): self.restart,
        }
        self.moment()
        for number in range(1, steps + 1):
            history.number = number
            try:
                if number == steps - 1:
                    self.steps.delete_company()
                elif number in moves:
                    moves[number]()
                else:
                    self.steps.step()
            except (Difference, AssertionError) as difference:
                self.differ(str(difference))
                if isinstance(difference, Difference):
                    break  # the oracle does not know what the service has
            self.moment()
            if number % 2 == 0:
                self.others()
                self.follow()
            if number % 8 == 0:
                self.pull()
                self.then()
            if len(self.differences) > 12:
                break
        self.others()
        self.follow()
        self.pull()
        self.then()
        self.day_histories()
        verified = history.service.run('verify', '--json')
        if verified.code:
            self.differ(f'verify: {verified.out[:600]}{verified.err[:300]}')

    def restart(self):
        self.history.service.stop()
        self.history.service.start()
        self.log('  restarted')

    def follow(self):
        for follower in self.followers:
            self.guard(follower.follow)
            self.guard(follower.compare, self.steps.first, self.steps.last)

    def pull(self):
        try:
            self.pulled.pull(self.history.service)
        except RuntimeError as error:
            self.differ(str(error)[:800])
        self.guard(self.pulled.compare, self.history.service, self.steps.first, self.steps.last)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--seed', type=int, default=int(time.time()))
    parser.add_argument('--histories', type=int, default=1)
    parser.add_argument('--steps', type=int, default=40)
    parser.add_argument('--folder', default=os.path.join(tempfile.gettempdir(), 'partner-metrics-model'))
    options = parser.parse_args()
    failed = 0
    for seed in range(options.seed, options.seed + options.histories):
        folder = os.path.join(options.folder, str(seed))
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        os.chmod(folder, 0o755)
        print(f'history {seed}', flush=True)
        run = Run(folder, seed, lambda text: print(text[:1500], flush=True))
        try:
            run.play(options.steps)
        except Exception:
            run.differ(traceback.format_exc())
        finally:
            run.history.service.stop()
            with open(os.path.join(folder, 'script.json'), 'w', encoding='utf-8') as file:
                json.dump(run.history.script, file, indent=1)
        print(
            f'history {seed}: {len(run.history.script)} commands, {len(run.history.moments)} moments, '
            f'{sum(e.listed for e in run.history.entries)} restatements, {len(run.differences)} differences',
            flush=True,
        )
        if run.differences:
            failed += 1
        else:
            shutil.rmtree(folder)
    sys.exit(1 if failed else 0)


if __name__ == '__main__':
    main()
