import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle, imageApps } from '@lateen/image';
import type { Clock } from '@lateen/kernel';
import type { BenchRow } from './bench-row.ts';
import { runServed, type ServedResult } from './served-process.ts';

const [locations, repositories] = [1_000, 10_000];
/** Target memory of the controller, in MB; its limit in the manifests is 1 GiB, which engines use too. */
const megabytesMax = 256;
/** A validation reads a Secret and writes a status; reads of the shared Secret each minute are added. */
const callsMax = 5;

/**
 * A controller, bundled as in the image, with an API server in memory in another process and many locations from the start, without and
 * with repositories: its maximum resident memory while every location is validated immediately and then once more on schedule, and the
 * number of API calls.
 */
export async function benchManyLocations(options: {
  root: string;
  clock: Clock;
  signal: AbortSignal;
  say(text: string): void;
}): Promise<BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'lateen-bench-locations-'));
  try {
    const app = imageApps.find(({ name }) => name === 'controller');
    if (app === undefined) throw new Error('the image has no controller');
    const file = join(folder, 'controller.mjs');
    await writeFile(file, (await bundle(app, options.root)).contents);
    const program = [...(app.nodeFlag === undefined ? [] : [app.nodeFlag]), file, '--port=0', '--no-leader-elect'];
    const measure = async (withRepositories: number): Promise<ServedResult> => {
      options.say(`locations: ${locations} locations, ${withRepositories} repositories`);
      const args = [String(locations), String(withRepositories)];
      const script = ['test/scenarios/src/locations/serve-locations.ts', ...args];
      const result = await runServed({ ...options, folder, script, program });
      const { completed } = result.answer;
      if (completed !== locations) throw new Error(`${completed} of ${locations} locations are Available`);
      return result;
    };
    const alone = await measure(0);
    const together = await measure(repositories);
    const { 'create Event': _, ...calls } = alone.answer.calls ?? {};
    const callsEach = Object.values(calls).reduce((sum, count) => sum + count, 0) / locations;
    return [
      memoryRow(`controller with ${locations} locations, resident at most`, alone),
      memoryRow(`the same and ${repositories} repositories`, together),
      {
        name: 'API calls per location for two validations',
        value: callsEach,
        unit: 'calls',
        target: `at most ${callsMax}`,
        reached: callsEach <= callsMax,
        note: 'its Secret, its status, and the looks at the Secret that all share; without Events',
      },
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const memoryRow = (name: string, { megabytes, seconds }: ServedResult): BenchRow => ({
  name,
  value: megabytes,
  unit: 'MB',
  target: `under ${megabytesMax} MB`,
  reached: megabytes < megabytesMax,
  note: `each validated at once and once more within ${seconds.toFixed(0)} s; VmHWM`,
});
