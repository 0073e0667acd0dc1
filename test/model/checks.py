"""Compares the service with the oracle: responses now and as of an instant, restatements, gaps, notes."""

import json
import time
from datetime import datetime

from answers import Answers
from gaps import compare_gaps, expected_notes, expected_unusable
from history import KEYS, Difference

APART = 1.1  # seconds: a response within a second of a change may be either


class Checks:
    def differ(self, text):
        self.differences.append(text)
        self.log(f'  DIFFERENCE after command {self.history.number}: {text}')

    def guard(self, check, *args):
        try:
            check(*args)
        except Difference as difference:
            self.differ(str(difference))

    # Questions, the same now and as of an instant

    def questions(self, key, first, last):
        assets = Answers(self.history.world, self.history.world, KEYS[key]).assets
        days = {'from_date': str(first), 'to_date': str(last)}
        yield (
            '/v1/partner/impressions',
            {**days, 'grain': 'day', 'limit': 100},
            lambda a: a.impressions(first, last, 'day'),
        )
        grain = self.random.choice(['week', 'month', 'quarter'])
        yield (
            '/v1/partner/impressions',
            {**days, 'grain': grain, 'limit': 100},
            lambda a: a.impressions(first, last, grain),
        )
        path = '/v1/partner/impressions/aggregate'
        yield path, {**days, 'grain': 'day'}, lambda a: a.aggregate(first, last)
        yield path, {**days, 'grain': grain, 'group_by': 'city'}, lambda a: a.aggregate(first, last, grain, 'city')
        yield path, {**days, 'group_by': 'asset'}, lambda a: a.aggregate(first, last, group_by='asset')
        for asset in self.random.sample(assets, min(2, len(assets))):
            base = f'/v1/partner/assets/{asset}/impressions'
            yield f'{base}/summary', days, lambda a, one=asset: a.summary(one, first, last)
            yield f'{base}/daily', days, lambda a, one=asset: a.daily(one, first, last)
            yield (
                f'{base}/timeseries',
                {**days, 'grain': grain},
                lambda a, one=asset: a.timeseries(one, first, last, grain),
            )

    def ask(self, key, path, query, wanted, what):
        status, body = self.history.service.get(path, key, **query)
        if status != 200:
            self.differ(f'{what}: {path} {query} -> {status} {body.decode()[:400]}')
            return body
        actual = json.loads(body)
        if path == '/v1/partner/impressions':
            actual = actual['data']
        if actual != wanted:
            self.differ(f'{what}: {path} {query}, key {key}: {first_difference(wanted, actual)}')
        return body

    def moment(self):
        """Reads everything, and remembers the responses with their instant."""
        history = self.history
        time.sleep(APART)
        at = time.time()
        stamp = datetime.fromtimestamp(at).astimezone().isoformat(timespec='milliseconds')
        at = datetime.fromisoformat(stamp).timestamp()
        recorded = []
        first, last = self.steps.first, self.steps.last
        for key, companies in KEYS.items():
            if not any(c in history.world.companies for c in companies):
                continue
            answers = Answers(history.world, history.world, companies)
            for path, query, render in self.questions(key, first, last):
                wanted = render(answers)
                body = self.ask(key, path, query, wanted, 'now')
                recorded.append((key, path, query, render, body, wanted))
            self.guard(self.restatements, key, companies, first, last)
        history.moments.append((at, history.world, recorded))
        time.sleep(max(0, at + APART - time.time()))

    def restatements(self, key, companies, first, last):
        entries = self.history.expected_rows(companies, first, last)
        rows = self.history.service.lines('/v1/partner/restatements', key, from_date=str(first), to_date=str(last))
        position = 0
        for row in rows:
            at = datetime.fromisoformat(row['restated_at'].replace('Z', '+00:00')).timestamp()
            plain = {name: value for name, value in row.items() if name != 'restated_at'}
            while position < len(entries) and entries[position].row() != plain and entries[position].optional:
                position += 1
            if position == len(entries) or entries[position].row() != plain:
                wanted = entries[position].row() if position < len(entries) else None
                raise Difference(f'restatements, key {key}: {row} instead of {wanted}')
            if not entries[position].started - 0.01 <= at <= entries[position].ended + 0.01:
                raise Difference(f'restatements, key {key}: {row} at another time')
            position += 1
        missing = [entry.row() for entry in entries[position:] if not entry.optional]
        if missing:
            raise Difference(f'restatements, key {key}: {len(missing)} are missing, such as {missing[0]}')

    def then(self):
        """Asks everything again, as of the instants at which it was recorded."""
        history = self.history
        for at, state, recorded in history.moments:
            stamp = datetime.fromtimestamp(at).astimezone().isoformat(timespec='milliseconds')
            for key, path, query, render, body, before in recorded:
                parts = path.split('/')
                if parts[3] == 'assets' and parts[4] not in history.world.assets:
                    continue
                if parts[3] == 'assets' and history.world.assets[parts[4]]['company'] not in KEYS[key]:
                    continue
                wanted = render(Answers(state, history.world, KEYS[key], as_of=at))
                said = self.ask(key, path, {**query, 'as_of': stamp}, wanted, f'as of {stamp}')
                if wanted == before and said != body:
                    self.differ(f'as of {stamp}: {path} {query}: other bytes than recorded')

    def others(self):
        """Gaps, notes and meta."""
        history, world = self.history, self.history.world
        first, last = self.steps.first, self.steps.last
        days = {'from_date': str(first), 'to_date': str(last)}
        for key, companies in KEYS.items():
            rows = history.service.lines('/v1/partner/gaps', key, **days)
            for asset in Answers(world, world, companies).assets:
                mine = [row for row in rows if row['asset_id'] == asset]
                wrong = compare_gaps(history, mine, asset, first, last, companies)
                if wrong:
                    self.differ(f'gaps, key {key}: {wrong}')
            notes = history.service.lines('/v1/partner/notes', key, **days)
            plain = [{k: v for k, v in row.items() if k != 'updated_at'} for row in notes]
            mine = sorted(expected_notes(world, companies, first, last), key=str)
            public = {entry.note for entry in history.entries if entry.public and entry.reason != 'set_aside'}
            theirs = sorted(
                (r for r in plain if r['kind'] != 'unusable' and not (r['kind'] == 'caveat' and r['text'] in public)),
                key=str,
            )
            if mine != theirs:
                self.differ(f'notes, key {key}: {first_difference(mine, theirs)}')
            unusable = [
                (r['asset_id'], r['sensor_id'], r['from'], r['to'], r['text']) for r in plain if r['kind'] == 'unusable'
            ]
            unusable.sort(key=str)
            wanted = expected_unusable(world, companies, first, last)
            if unusable != wanted:
                self.differ(f'notes of what is set aside, key {key}: {first_difference(wanted, unusable)}')
            final = {c['id']: c['final_through'] for c in history.service.read('/v1/partner/meta', key)['companies']}
            wanted = {c: d and str(d) for c, d in world.companies.items() if c in companies}
            if final != wanted:
                self.differ(f'meta: final_through {final} instead of {wanted}')

    def day_histories(self):
        """Asks for every value that some days ever had."""
        history = self.history
        kept = [e for e in history.entries if e.asset in history.world.assets and e.listed and not e.optional]
        for sample in self.random.sample(kept, min(3, len(kept))):
            steps = [
                e for e in history.entries if (e.kind, e.asset, e.date) == (sample.kind, sample.asset, sample.date)
            ]
            if any(e.optional for e in steps):
                continue
            answer = history.service.must('history', '--asset', sample.asset, '--date', str(sample.date), '--json').json
            names = ('value', 'intervals', 'reason', 'note', 'final')
            actual = [tuple(row[name] for name in names) for row in answer['rows'] if row['kind'] == sample.kind]
            wanted = [(*e.after, e.reason, e.note, e.final) for e in steps]
            if actual[-len(wanted) :] != wanted or not 0 <= len(actual) - len(wanted) <= 1:
                self.differ(f'history of {sample.asset} {sample.date} {sample.kind}: {actual} instead of {wanted}')


def first_difference(wanted, actual, path=''):
    """Returns where two JSON values differ first."""
    if isinstance(wanted, dict) and isinstance(actual, dict):
        for name in [*wanted, *(n for n in actual if n not in wanted)]:
            if wanted.get(name) != actual.get(name) or (name in wanted) != (name in actual):
                label = wanted.get('date') or wanted.get('start') or wanted.get('asset_id') or ''
                return first_difference(
                    wanted.get(name), actual.get(name), f'{path}{"(" + label + ")" if label else ""}.{name}'
                )
    if isinstance(wanted, list) and isinstance(actual, list):
        for n, (one, other) in enumerate(zip(wanted, actual, strict=False)):
            if one != other:
                return first_difference(one, other, f'{path}[{n}]')
        return f'{path}: {len(actual)} instead of {len(wanted)}; {(wanted[len(actual) :] or actual[len(wanted) :])[:1]}'
    return f'{path}: {actual} instead of {wanted}'
