import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAppError } from '@lateen/errors';
import { FakeClock } from '@lateen/testing';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { silentProgress } from '../progress/progress.ts';
import { ensureParts } from './ensure-parts.ts';
import { partKey } from './part-key.ts';
import { parts } from './part-table.ts';

/** A `go` that records its calls and writes the requested output. */
const fakeGo = `#!/bin/sh
case "$1" in
env) echo "$FAKE_GO_VERSION" ;;
build)
  echo "$*" >> "$FAKE_GO_CALLS"
  case "$*" in *"\${FAKE_GO_SLOW:-nothing}"*) until grep -q "$FAKE_GO_UNTIL" "$FAKE_GO_CALLS"; do sleep 0.02; done ;; esac
  while [ $# -gt 0 ]; do [ "$1" = -o ] && out=$2; shift; done
  echo half > "$out"
  [ -z "$FAKE_GO_FAILS" ] || { echo "undefined: thing"; exit 1; }
  echo built > "$out" ;;
esac
`;

let folder: string;
let env: Record<string, string>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lateen-parts-'));
  await program('go', fakeGo);
  vi.stubEnv('PATH', `${folder}/bin:/usr/bin:/bin`);
  vi.stubEnv('FAKE_GO_CALLS', join(folder, 'calls'));
  vi.stubEnv('FAKE_GO_VERSION', 'go1.99.0');
  env = { LATEEN_CACHE: join(folder, 'cache') };
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

async function program(name: string, text: string): Promise<void> {
  await mkdir(join(folder, 'bin'), { recursive: true });
  await writeFile(join(folder, 'bin', name), text);
  await chmod(join(folder, 'bin', name), 0o755);
}

const calls = async (): Promise<string[]> =>
  (await readFile(join(folder, 'calls'), 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');

it('builds a missing part, and returns it from the cache from then on', async () => {
  const first = await ensureParts(['pause'], silentProgress, { env });
  expect(await readFile(first.pause ?? '', 'utf8')).toBe('built\n');
  expect(await ensureParts(['pause'], silentProgress, { env })).toEqual(first);
  expect(await calls()).toHaveLength(1);
});

const step = { update: () => {}, done: () => {}, failed: () => {} };
const usual = (name: string) => parts.find((part) => part.name === name)?.buildSeconds ?? 0;

it('reports which part is being built, and the remaining time at the pace of the earlier ones', async () => {
  const labels: string[] = [];
  const clock = new FakeClock();
  const begin = (label: string) => {
    labels.push(label);
    // Twice its usual time.
    if (label.includes('kube-apiserver')) void clock.advance(460_000);
    return step;
  };
  await ensureParts(['kubelet', 'kube-apiserver', 'kube-proxy'], { note: () => {}, begin }, { env, clock });
  expect([usual('kubelet'), usual('kube-apiserver'), usual('kube-proxy')]).toEqual([15, 230, 5]);
  expect(labels).toEqual([
    'building kubelet (part 1 of 3, about 4m10s left)',
    'building kube-apiserver (part 2 of 3, about 3m55s left)',
    'building kube-proxy (part 3 of 3, about 9s left)',
  ]);
});

it('builds two parts in parallel when they share no libraries, and counts both as running', async () => {
  const labels: string[] = [];
  const clock = new FakeClock();
  const begin = (label: string) => {
    labels.push(label);
    if (label.includes('versitygw')) void clock.advance(60_000);
    return step;
  };
  // The first part takes longer than the second, so the third starts beside it.
  vi.stubEnv('FAKE_GO_SLOW', 'kube-apiserver');
  vi.stubEnv('FAKE_GO_UNTIL', 'etcd');
  await ensureParts(['kube-apiserver', 'versitygw', 'etcd'], { note: () => {}, begin }, { env, clock });
  expect([usual('kube-apiserver'), usual('versitygw'), usual('etcd')]).toEqual([230, 50, 20]);
  expect(labels).toEqual([
    'building kube-apiserver (part 1 of 3, about 5m0s left)',
    'building versitygw (part 2 of 3, about 5m0s left)',
    // After 60 s, 50 s of builds are complete, and 30 s of kube-apiserver.
    'building etcd (part 3 of 3, about 2m45s left)',
  ]);
});

it('ends parallel builds when one fails', async () => {
  vi.stubEnv('FAKE_GO_FAILS', 'yes');
  const ended: string[] = [];
  const begin = (label: string) => ({ ...step, failed: () => ended.push(label.split(' ')[1] ?? '') });
  const names = ['kube-apiserver', 'kubelet', 'versitygw', 'etcd'];
  await expect(ensureParts(names, { note: () => {}, begin }, { env })).rejects.toThrow('undefined: thing');
  expect(ended.sort()).toEqual(['kube-apiserver', 'versitygw']);
});

it('sets the version in what it builds, and strips it', async () => {
  await ensureParts(['csi-provisioner'], silentProgress, { env });
  expect((await calls())[0]).toContain('-trimpath -ldflags -s -w -X main.version=v5.1.0 -o');
});

it('lets one of two callers build while the other waits', async () => {
  const both = [1, 2].map(() => ensureParts(['pause'], silentProgress, { env }));
  const [first, second] = await Promise.all(both);
  expect(first).toEqual(second);
  expect(await calls()).toHaveLength(1);
});

it('leaves nothing incomplete in the cache when the compiler fails, and includes its output in the error', async () => {
  vi.stubEnv('FAKE_GO_FAILS', 'yes');
  await expect(ensureParts(['pause'], silentProgress, { env })).rejects.toThrow('undefined: thing');
  const entries = await readdir(join(folder, 'cache', 'parts'), { recursive: true });
  expect(entries.filter((entry) => entry.endsWith('/pause') || entry.startsWith('.'))).toEqual([]);
});

it('rejects a Go that is too old before it builds anything', async () => {
  vi.stubEnv('FAKE_GO_VERSION', 'go1.20.1');
  await expect(ensureParts(['pause'], silentProgress, { env })).rejects.toSatisfy((e) => isAppError(e, 'GO_TOO_OLD'));
  expect(await calls()).toEqual([]);
});

it('reports when there is no Go', async () => {
  vi.stubEnv('PATH', join(folder, 'empty'));
  await expect(ensureParts(['pause'], silentProgress, { env })).rejects.toSatisfy((e) => isAppError(e, 'GO_MISSING'));
});

it.each([
  { says: 'Kubernetes v1.34.4', used: true },
  { says: 'Kubernetes v1.34.40', used: false },
  { says: 'Kubernetes v1.30.0', used: false },
])('an installed program that says "$says" is used: $used', async ({ says, used }) => {
  await program('kubelet', `#!/bin/sh\necho "${says}"\n`);
  const search = { ...env, KUBEBUILDER_ASSETS: join(folder, 'bin'), PATH: '/nowhere' };
  const { kubelet } = await ensureParts(['kubelet'], silentProgress, { env: search });
  expect(kubelet === join(folder, 'bin', 'kubelet')).toBe(used);
});

it('names the existing parts when asked for another', async () => {
  await expect(ensureParts(['kubelet-ng'], silentProgress, { env })).rejects.toSatisfy(
    (error) => isAppError(error, 'PART_UNKNOWN') && error.nextStep?.includes('kubelet,') === true,
  );
});

it('gives every part a key that changes with go.mod, go.sum, own source and flags', async () => {
  const dir = join(folder, 'parts');
  await mkdir(join(dir, 'pause'), { recursive: true });
  const [pause] = parts;
  const seen = new Set<string>();
  const note = async (part = pause) => seen.add(await partKey(part, dir));
  await note();
  for (const file of ['go.mod', 'go.sum', 'main.go', 'other.go']) {
    await writeFile(join(dir, 'pause', file), 'changed');
    await note();
  }
  await note({ ...pause, stamps: ['-X a=b'] } as never);
  expect(seen.size).toBe(6);
});
