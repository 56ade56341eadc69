import { seededRandom } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { type BackupScope, backupScope, ClaimedScopes } from './backup-scope.ts';
import { decideQueue, type QueuedBackup } from './decide-queue.ts';

const of = (...names: string[]): BackupScope => new Set(names);
const backup = (name: string, parts: Partial<QueuedBackup> = {}): QueuedBackup => ({
  name,
  phase: 'Queued',
  position: 1,
  createdMs: 0,
  scope: of('shop'),
  isLeaving: false,
  ...parts,
});
const queued = (name: string, position: number, scope: BackupScope, parts: Partial<QueuedBackup> = {}) =>
  backup(name, { position, scope, ...parts });
const running = (name: string, scope: BackupScope) => backup(name, { phase: 'InProgress', position: 0, scope });
const starts = (backups: readonly QueuedBackup[], max = 2) =>
  decideQueue(backups, max).flatMap((step) => (step.kind === 'start' ? [step.name] : []));

describe('the backups that may start', () => {
  it.each<[string, QueuedBackup[], string[]]>([
    ['two with different namespaces', [queued('a', 1, of('a')), queued('b', 2, of('b'))], ['a', 'b']],
    [
      'not a third one above the limit',
      [queued('a', 1, of('a')), queued('b', 2, of('b')), queued('c', 3, of('c'))],
      ['a', 'b'],
    ],
    ['only the first one of the same namespace', [queued('a', 1, of('x')), queued('b', 2, of('x', 'y'))], ['a']],
    ['none that overlaps a running one', [running('r', of('x')), queued('a', 1, of('x'))], []],
    [
      'none that overlaps one ahead of it, even if nothing else blocks it',
      [running('r', of('x')), queued('a', 1, of('x', 'y')), queued('b', 2, of('y')), queued('c', 3, of('z'))],
      ['c'],
    ],
    [
      'a namespace while only cluster-scoped resources are backed up',
      [running('r', 'cluster'), queued('a', 1, of('x'))],
      ['a'],
    ],
    [
      'cluster-scoped resources while a namespace is backed up',
      [running('r', of('x')), queued('a', 1, 'cluster')],
      ['a'],
    ],
    ['no second one of the whole cluster', [running('r', 'cluster'), queued('a', 1, 'cluster')], []],
    ['one that matches no namespace', [running('r', of('x')), queued('a', 1, of())], ['a']],
    [
      'no more than the limit, counting running ones',
      [running('r', of('x')), running('s', of('y')), queued('a', 1, of('z'))],
      [],
    ],
    [
      'none that is being deleted or cancelled',
      [queued('a', 1, of('x'), { isLeaving: true }), queued('b', 2, of('x'))],
      ['b'],
    ],
    [
      'one in place of another that leaves the queue before it starts',
      [backup('r', { phase: 'ReadyToStart', isLeaving: true }), running('s', of('y')), queued('a', 1, of('shop'))],
      ['a'],
    ],
    [
      'none in place of one that is being cancelled',
      [backup('r', { phase: 'Canceling' }), queued('a', 1, of('shop'))],
      [],
    ],
    [
      'by position, then by age, then by name',
      [queued('c', 2, of('c')), queued('b', 2, of('b')), queued('a', 2, of('a'), { createdMs: 5 })],
      ['b', 'c'],
    ],
  ])('are %s', (_, backups, expected) => {
    expect(starts(backups)).toEqual(expected);
  });
});

it('appends new backups by age, and numbers waiting backups from 1', () => {
  const steps = decideQueue(
    [
      queued('a', 3, of('a')),
      queued('b', 5, of('a')),
      queued('c', 6, of('a')),
      backup('young', { phase: 'New', createdMs: 9 }),
      backup('old', { phase: 'New', createdMs: 8 }),
      backup('gone', { phase: 'New', createdMs: 1, isLeaving: true }),
    ],
    2,
  );
  expect(steps).toEqual([
    { kind: 'start', name: 'a' },
    { kind: 'enqueue', name: 'old', position: 7 },
    { kind: 'enqueue', name: 'young', position: 8 },
    { kind: 'renumber', name: 'b', position: 1 },
    { kind: 'renumber', name: 'c', position: 2 },
  ]);
});

describe('the namespaces that a backup claims', () => {
  const live = ['shop', 'shop-test', 'blog'];
  it.each<[string, string[] | null | undefined, string[] | undefined, BackupScope]>([
    ['no filter', undefined, undefined, 'cluster'],
    ['null', null, undefined, 'cluster'],
    ['an empty list', [], undefined, 'cluster'],
    ['an asterisk', ['*'], undefined, 'cluster'],
    ['all except some', [], ['shop'], 'cluster'],
    ['a name', ['shop'], undefined, of('shop')],
    ['an unknown name', ['later'], undefined, of('later')],
    ['a glob', ['shop*'], undefined, of('shop', 'shop-test')],
    ['a glob that matches nothing', ['x*'], undefined, of()],
    ['a glob with exclusions', ['shop*'], ['*-none', 'shop-test'], of('shop')],
    ['a name that is excluded', ['shop', 'blog'], ['shop'], of('blog')],
  ])('are correct for %s', (_, includedNamespaces, excludedNamespaces, expected) => {
    const spec = {
      ...(includedNamespaces === undefined ? {} : { includedNamespaces }),
      ...(excludedNamespaces === undefined ? {} : { excludedNamespaces }),
    };
    expect(backupScope(spec, live)).toEqual(expected);
  });
});

/** A second implementation of the queue's rules: a backup waits only for one that runs or is ahead of it. */
function mustWait(one: QueuedBackup, all: readonly QueuedBackup[], max: number): boolean {
  const running = all.filter(({ phase }) => ['ReadyToStart', 'InProgress', 'Canceling'].includes(phase));
  if (running.length >= max) return true;
  const before = all.filter((each) => each.phase === 'Queued' && !each.isLeaving && each.position < one.position);
  return [...running, ...before].some((other) => {
    const claimed = new ClaimedScopes();
    claimed.add(other.scope);
    return claimed.overlaps(one.scope);
  });
}

it.each([1, 2, 3, 4, 5, 6, 7, 8])('starts every backup that may run, after any history (seed %i)', (seed) => {
  const random = seededRandom(seed);
  const pick = (max: number) => Math.floor(random.next() * max);
  const max = 1 + pick(4);
  let all: QueuedBackup[] = [];
  const order: string[] = [];
  for (let event = 0; event < 400; event += 1) {
    const ran = all.filter(({ phase }) => phase === 'InProgress');
    const what = pick(10);
    const scope = pick(5) === 0 ? 'cluster' : of(...Array.from({ length: pick(3) }, () => `ns-${pick(6)}`));
    if (what < 5) all.push(backup(`b-${event}`, { phase: 'New', position: 0, createdMs: event, scope }));
    else if (what < 9 && ran.length > 0) all = all.filter((each) => each !== ran[pick(ran.length)]);
    else if (all.length > 0) {
      const at = pick(all.length);
      all = all.map((each, index) => (index === at ? { ...each, isLeaving: true } : each));
      if (pick(2) === 0) all = all.filter(({ isLeaving, phase }) => !isLeaving || phase === 'InProgress');
    }
    // Applies only some of the steps each time, as when writes fail in between, until no step is left.
    for (let steps = decideQueue(all, max); steps.length > 0; steps = decideQueue(all, max)) {
      for (const step of steps.slice(0, 1 + pick(3))) {
        all = all.map((each) => {
          if (each.name !== step.name) return each;
          if (step.kind === 'start') return { ...each, phase: 'InProgress', position: 0 };
          return { ...each, phase: 'Queued', position: step.position };
        });
        if (step.kind === 'start') order.push(step.name);
      }
      expect(all.filter(({ phase }) => phase === 'InProgress').length).toBeLessThanOrEqual(max);
    }
    for (const one of all.filter(({ phase, isLeaving }) => phase === 'Queued' && !isLeaving))
      expect(mustWait(one, all, max)).toBe(true);
  }
  expect(order.length).toBeGreaterThan(20);
});
