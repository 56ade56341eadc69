import { deleteNamespace, findLeftovers, takeInventory } from '@lateen/demo';
import type { RunningLateen } from '@lateen/installation';
import { type Clock, systemRandom } from '@lateen/kernel';
import type { BenchRow } from '../bench-row.ts';
import { median } from '../median.ts';
import { rawKopia } from '../raw-kopia.ts';
import { downloadSixVolumes, uploadSixVolumes } from './movements.ts';
import { createSixVolumes, fillSixVolumes, type SixVolumes, shellOf, snapshotSixVolumes, volumes } from './workload.ts';

const runs = 3;

/** The allowed seconds, and the time of Velero on such a machine (machine.md section 6). */
const targets = {
  first: { allowed: 15, reference: 61 },
  again: { allowed: 8, reference: 54 },
  restore: { allowed: 15, reference: 93 },
} as const;
type Step = keyof typeof targets;
const titles: Readonly<Record<Step, string>> = {
  first: 'six DataUploads (612 MB + 5 × 12.5 MB)',
  again: 'the same, unchanged',
  restore: 'six DataDownloads of them',
};

/** Six volumes moved together with default settings, compared with kopia alone, one after the other; medians. */
export async function benchSixVolumes(
  lateen: RunningLateen,
  { clock, signal, say }: { clock: Clock; signal: AbortSignal; say(text: string): void },
): Promise<BenchRow[]> {
  if (lateen.cluster === undefined) return [];
  const moved: Record<Step, number[]> = { first: [], again: [], restore: [] };
  const raw: Record<Step, number[]> = { first: [], again: [], restore: [] };
  for (let run = 0; run < runs; run++) {
    const namespace = `bench-${systemRandom.suffix(5)}`;
    const context = { lateen, clock, namespace, signal };
    try {
      await createSixVolumes(context, { dynamic: false });
      await fillSixVolumes(context);
      for (const [step, ms] of Object.entries(await rawTimes(context))) raw[step as Step].push(ms);
      for (const [step, ms] of Object.entries(await movementTimes(context))) moved[step as Step].push(ms);
    } finally {
      await deleteNamespace(lateen.kube, namespace, clock, AbortSignal.any([]));
      await deleteNamespace(lateen.kube, `${namespace}-restored`, clock, AbortSignal.any([]));
    }
    const text = (times: Record<Step, number[]>) =>
      Object.values(times)
        .map((each) => `${Math.round(each.at(-1) ?? 0)} ms`)
        .join(', ');
    say(`  run ${run}: kopia alone ${text(raw)}; moved ${text(moved)}`);
  }
  return (Object.keys(targets) as Step[]).flatMap((step) => rowsOf(step, median(moved[step]), median(raw[step])));
}

function rowsOf(step: Step, ms: number, rawMs: number): BenchRow[] {
  const { allowed, reference } = targets[step];
  const target = `at most ${allowed} s (reference ${reference} s)`;
  return [
    { name: titles[step], value: ms, unit: 'ms', target, reached: ms <= allowed * 1000 },
    {
      name: `${titles[step]} / kopia alone`,
      value: ms / rawMs,
      unit: '×',
      note: `kopia alone, one after the other: ${Math.round(rawMs)} ms`,
    },
  ];
}

async function rawTimes(context: SixVolumes): Promise<Record<Step, number>> {
  const { cluster } = context.lateen;
  if (cluster === undefined) throw new Error('only a cluster of our own tells the keys of its S3 server');
  const raw = await rawKopia({ s3: { ...cluster.s3, endpoint: cluster.s3.endpointForPods }, shell: shellOf(context) });
  const all = async (one: (directory: string) => Promise<number>): Promise<number> => {
    let sum = 0;
    for (const { name } of volumes) sum += await one(`/data/${name}`);
    return sum;
  };
  return { first: await all(raw.snapshot), again: await all(raw.snapshot), restore: await all(raw.restore) };
}

async function movementTimes(context: SixVolumes): Promise<Record<Step, number>> {
  const { namespace, lateen, clock, signal } = context;
  const before = await takeInventory(lateen.kube, lateen.veleroNamespace, signal);
  // Objects of a step are deleted after its movements are Completed; that time does not count for the next step.
  const settled = () => findLeftovers(before, { ...lateen, clock }, signal);
  const first = await uploadSixVolumes(context, { snapshots: await snapshotSixVolumes(context), run: 'first' });
  await settled();
  const again = await uploadSixVolumes(context, { snapshots: await snapshotSixVolumes(context), run: 'again' });
  await settled();
  const target = `${namespace}-restored`;
  await createSixVolumes({ ...context, namespace: target }, { dynamic: true });
  const restore = await downloadSixVolumes(context, { uploads: again.ended, target });
  return { first: first.ms, again: again.ms, restore: restore.ms };
}
