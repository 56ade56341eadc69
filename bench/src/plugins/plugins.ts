import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startApiServer } from '@lateen/cluster';
import { silentLogger, systemRandom } from '@lateen/kernel';
import { kubeClient, loadKubeConfig } from '@lateen/kube-client';
import type { BenchRow } from '../bench-row.ts';
import { median } from '../median.ts';
import { otherClient } from '../restore/other-client.ts';
import { few, measure, type Place, type RestoreObjectsOptions, rateOf, rounds } from '../restore/restore-objects.ts';

interface Calls {
  calls: number;
  insideMs: number;
  outsideMs: number;
  p99Ms: number;
  atOncePerSecond: number;
  startByHostMs: number;
  startAloneMs: number;
}

const [callMsMax, startMsMax, rateMin] = [1, 100, 0.7];

/**
 * The cost of a plugin program: a call, its start, and restores into a real API server with an action on each object, alternating with
 * restores without.
 */
export async function benchPlugins(options: RestoreObjectsOptions): Promise<BenchRow[]> {
  return [...callRows(await measureCalls(options)), ...(await restoreRows(options))];
}

async function measureCalls({ root, signal, say }: RestoreObjectsOptions): Promise<Calls> {
  say('plugins: calls and starts');
  const script = join(root, 'test/scenarios/src/plugins/measure-calls.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [script, '10000'], { signal });
  return JSON.parse(stdout) as Calls;
}

function callRows(calls: Calls): BenchRow[] {
  const addedMs = calls.outsideMs - calls.insideMs;
  const startMs = calls.startByHostMs - calls.startAloneMs;
  return [
    {
      name: 'an action of a program / the same in the process of the server: added for one call, median',
      value: addedMs,
      unit: 'ms',
      target: `under ${callMsMax} ms`,
      reached: addedMs < callMsMax,
      note: `${calls.calls} calls one after the other, an item of 1 KiB; p99 ${calls.p99Ms.toFixed(2)} ms; 32 at once ${calls.atOncePerSecond.toFixed(0)} /s`,
    },
    {
      name: 'start of a program by the host, with the list of its plugins and its end / the program alone',
      value: startMs,
      unit: 'ms',
      target: `under ${startMsMax} ms`,
      reached: startMs < startMsMax,
      note: `${calls.startByHostMs.toFixed(0)} ms, alone until its handshake ${calls.startAloneMs.toFixed(0)} ms`,
    },
  ];
}

/** Alternating: without a program, with one that accepts one call at a time, and with one that accepts eight. */
async function restoreRows(options: RestoreObjectsOptions): Promise<BenchRow[]> {
  const { clock, signal, say } = options;
  say('plugins: etcd and kube-apiserver');
  const server = await startApiServer({ clock }, signal);
  const config = await loadKubeConfig({ path: server.kubeconfig, env: {} });
  const kube = kubeClient({ config, clock, random: systemRandom, log: silentLogger });
  const other = await otherClient(kube, clock);
  const place = { ...options, other, kubeconfig: server.kubeconfig };
  try {
    const shared = await measureTurns(place);
    const text = '3,003 objects restored with one action of a program on each / without';
    const rows = [
      ratioRow(`${text}: one call at a time, API server, etcd, restore and program on the same two cores`, shared.one),
      ratioRow(`${text}: eight calls in parallel, on the same two cores`, shared.eight),
    ];
    // In a cluster the API server usually runs on another machine than the controller.
    say('plugins: the API server and etcd on one core, the restore and the program on another');
    for (const pid of [server.pids.etcd, server.pids.apiServer, process.pid])
      await promisify(execFile)('taskset', ['-acp', '0', `${pid}`], { signal });
    const apart = await measureTurns({ ...place, core: 1 });
    rows.push(ratioRow(`${text}: one call at a time, the API server on a core of its own`, apart.one));
    rows.push(ratioRow(`${text}: eight calls in parallel, the API server on a core of its own`, apart.eight));
    return rows;
  } finally {
    await other.stop();
    await kube.close();
    await server.stop();
  }
}

interface Ratios {
  ratio: number;
  last: string;
}

async function measureTurns(place: Place): Promise<Record<'one' | 'eight', Ratios>> {
  const ratios: Record<'one' | 'eight', number[]> = { one: [], eight: [] };
  const last = { one: '', eight: '' };
  for (let round = 0; round < rounds; round++) {
    const without = rateOf(await measure(place, 'restore', few));
    for (const [key, mode] of [
      ['one', 'plugin'],
      ['eight', 'parallel-plugin'],
    ] as const) {
      const rate = rateOf(await measure(place, mode, few));
      ratios[key].push(rate / without);
      last[key] = `the last: ${rate.toFixed(0)} /s against ${without.toFixed(0)} /s`;
    }
  }
  return {
    one: { ratio: median(ratios.one), last: last.one },
    eight: { ratio: median(ratios.eight), last: last.eight },
  };
}

function ratioRow(name: string, { ratio, last }: Ratios): BenchRow {
  return {
    name,
    value: ratio,
    unit: '×',
    target: `at least ${rateMin} ×`,
    reached: ratio >= rateMin,
    note: `rates; ${last}`,
  };
}
