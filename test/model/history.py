"""A database with its oracle: runs commands, predicts outcomes and the ledger, remembers states for `as_of`."""

import os
import time

from service import Service
from world import KINDS, OVER_AFTER, World, changed_days, day_end, is_over, local_date

VENDORS = {'quarter_hour': 'Quarter', 'hour': 'Hourly', 'minute': 'Own', 'day': 'Daily'}
KEYS = {'a': ['companya0001'], 'ab': ['companya0001', 'companyb0001']}


class Difference(Exception):
    """The service and the oracle disagree."""


class Entry:
    """A step of a day's total. `listed`: in /restatements; otherwise only coverage changed, or it is a first value."""

    def __init__(self, kind, asset, date, before, after, **rest):
        self.kind, self.asset, self.date, self.before, self.after = kind, asset, date, before, after
        self.__dict__.update(rest)

    def row(self):
        return {
            'asset_id': self.asset,
            'kind': self.kind,
            'date': self.date.isoformat(),
            'previous': self.before[0],
            'current': self.after[0],
            'previous_intervals': self.before[1],
            'current_intervals': self.after[1],
            'reason': self.reason,
            'note': self.note if self.public else None,
            'final': self.final,
        }


class History:
    def __init__(self, folder, log):
        self.folder, self.log = folder, log
        self.world = World()
        self.service = Service(os.path.join(folder, 'first'))
        self.databases = 1
        self.entries = []  # of the ledger, ascending
        self.moments = []  # (instant, state, responses recorded then)
        self.script = []  # commands, to repeat a history by hand
        self.moved_zones = set()
        self.doubtful = set()  # (kind, asset, date): whether it had a value after it was over is a matter of definition
        self.number = 0

    def begin(self):
        self.service.must('migrate')
        self.service.start()
        self.change(
            ['import', 'companies', '-'],
            'id,name\ncompanya0001,A\ncompanyb0001,B\n',
            lambda w: w.companies.update(companya0001=None, companyb0001=None),
        )
        vendors = ''.join(f'{name},{str(grain == "minute").lower()},{grain}\n' for grain, name in VENDORS.items())
        self.change(['import', 'vendors', '-'], 'name,own,finest_grain\n' + vendors, lambda w: None)
        for label, companies in KEYS.items():
            issued = self.service.must('keys', 'issue', '--company', *companies, '--json').json
            self.service.keys[label] = issued['key']

    def settle(self):
        """Waits until no day ends its six hours within the next seconds, so that both sides agree on what is over."""
        while True:
            now = time.time()
            zones = {asset['zone'] for asset in self.world.assets.values()}
            days = {entry for zone in zones for entry in self.days_around(zone, now)}
            if not any(now - 2 <= boundary <= now + 30 for boundary in days):
                return
            time.sleep(5)

    @staticmethod
    def days_around(zone, now):
        today = local_date(zone, int(now))
        return [day_end(zone, day) + OVER_AFTER for day in (today.fromordinal(today.toordinal() - n) for n in range(3))]

    def change(
        self,
        args,
        stdin,
        effect,
        reason=None,
        note=None,
        public=False,
        restate=False,
        bound=True,
        rejected=False,
        loses=False,
    ):
        """Runs a command whose success has `effect` on the oracle. It has to be refused, and to change nothing, where
        it changes a total of a closed month without `restate`, or where `effect` returns False (`rejected`).
        `loses`: the effect removes entries of the ledger by itself instead of adding some."""
        self.settle()
        before, after = self.world, self.world.copy()
        accepted = not rejected and effect(after) is not False and not after.problems()
        steps = list(changed_days(before, after)) if accepted else []
        closed = sorted(
            {
                (asset, str(day))
                for kind, asset, day, old, new in steps
                if old[0] != new[0] and self.is_final(before, asset, day)
            }
        )
        refused = bool(closed) and bound and not restate
        options = [*args]
        if note is not None:
            options += ['--reason', note, *(['--public'] if public else [])]
        if restate:
            options.append('--restate')
        started = time.time()
        result = self.service.run(*options, stdin=stdin)
        ended = time.time()
        self.script.append((options, stdin, result.code))
        self.log(
            f'  {self.number}: {" ".join(options)} -> {result.code}'
            + (f' (refused: {len(closed)} days)' if refused else '')
        )
        expected = 1 if refused or not accepted else 0
        said = result.out + result.err
        if result.code != expected:
            raise Difference(f'exit code {result.code} instead of {expected}; closed {closed[:3]}; {said[-600:]}')
        if refused and 'closed months' not in said:
            raise Difference(f'refused for another reason than closed months: {said[-600:]}')
        if refused and not all(day in said for _, day in closed[:1]):
            raise Difference(f'the refusal does not name {closed[:1]}: {said[-600:]}')
        if expected or '--dry-run' in options:
            return False, result
        self.world = after
        if not loses:
            self.enter(before, after, steps, reason, note, public, started, ended)
        return True, result

    @staticmethod
    def is_final(world, asset, day):
        final = world.companies.get(world.assets[asset]['company']) if asset in world.assets else None
        return final is not None and day <= final

    def enter(self, before, after, steps, reason, note, public, started, ended):
        """Adds what a transaction changed to the ledger."""
        for kind, asset, day, old, new in steps:
            over = [is_over(world.zone(asset), day, started) for world in (before, after) if asset in world.assets]
            # A day that was over by a time zone that was corrected since may count as over.
            once = [
                is_over(zone, day, started)
                for world in (before, after)
                if asset in world.assets
                for zone in world.assets[asset]['former']
            ]
            if not any(over + once):
                if new[0] is None:
                    self.doubtful.add((kind, asset, day))
                continue
            earlier = [e for e in self.entries if (e.kind, e.asset, e.date) == (kind, asset, day)]
            had = old[0] is not None or any(e.before[0] is not None or e.after[0] is not None for e in earlier)
            entry = Entry(
                kind, asset, day, old, new, reason=reason, note=note, public=public, started=started, ended=ended
            )
            entry.final = self.is_final(before, asset, day)
            entry.listed = had and old[0] != new[0]
            entry.optional = not all(over) or (not had and (kind, asset, day) in self.doubtful)
            self.entries.append(entry)

    def forget(self, keeps, forget):
        """Erasure: removes entries of the ledger, and from all that is remembered."""
        self.entries = [entry for entry in self.entries if keeps(entry)]
        done = set()
        for _, state, _ in self.moments:
            if id(state) not in done:
                done.add(id(state))
                forget(state)
                state._totals = None

    def expected_rows(self, companies, first, last):
        """Returns the restatements that a key sees, as (entry, row); those of one command by asset, date and kind."""
        order = {kind: n for n, kind in enumerate(KINDS)}
        listed = [
            e
            for e in self.entries
            if (e.listed or e.optional)
            and e.asset in self.world.assets
            and self.world.assets[e.asset]['company'] in companies
            and first <= e.date <= last
        ]
        listed.sort(key=lambda e: (e.started, e.asset, e.date, order[e.kind]))
        return listed
