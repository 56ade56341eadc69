import { type Backup, type DataDownload, dataDownloadType, type Restore, restoreType } from '@lateen/api-types';
import { aDataDownload, FakeClock, fakeCluster, seededRandom } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { waitForTests } from '../run/wait-for-tests.ts';

const namespace = 'velero';
const key = { namespace, name: 'r' };
const GiB = 1024 ** 3;

/** A command that waits, while the test acts as the controller. */
function setUp() {
  const clock = new FakeClock('2030-01-01T00:00:00Z');
  const backup: Backup = {
    apiVersion: 'velero.io/v1',
    kind: 'Backup',
    metadata: { name: 'b', namespace },
    spec: {},
    status: { phase: 'Completed' },
  };
  const cluster = fakeCluster({ clock, objects: [backup] });
  const run = { type: restoreType, key, words: ['restore', 'create', 'r', '--from-backup', 'b', '--wait'] };
  const waits = waitForTests({ clock, random: seededRandom(), cluster }, run);
  const download = async (pvc: string, parts: NonNullable<DataDownload['status']>) => {
    const made = aDataDownload({ name: `r-${pvc}`, labels: { 'velero.io/restore-name': 'r' } });
    made.spec.targetVolume = { ...made.spec.targetVolume, namespace: 'shop', pvc };
    await waits.beside(dataDownloadType, made, parts);
  };
  return { clock, cluster, download, ...waits };
}

const waiting =
  'Restore request "r" submitted successfully.\nWaiting for restore to complete. You may safely press ctrl-c to stop waiting - your restore will continue in the background.\n';
const completed = (phase: string) =>
  `Restore completed with status: ${phase}. You may check for more information using the commands \`lateen restore describe r\` and \`lateen restore logs r\`.\n`;

describe('lateen restore create --wait', () => {
  it('prints each change once, from the restore that it waits for to its volumes and the end', async () => {
    const { cluster, clock, ended, change, status, download, said, out } = setUp();
    const end = ended();
    await cluster.settle();
    expect(said()).toBe('r  New\n');
    await change((it) => {
      it.metadata.annotations = { 'lateen.dev/waits-for': 'other, third' };
    });
    expect(said()).toBe('r  New  behind other, third, which run\n');
    // A run that waits for another one is not reported as ignored by the controllers.
    await clock.advance(30_000);
    expect(said()).toBe('');
    await status({ phase: 'InProgress', startTimestamp: '2030-01-01T00:00:00Z' });
    await status({ progress: { totalItems: 1_200, itemsRestored: 10 } });
    expect(said()).toBe('r  InProgress\nr  items: 10 of 1,200\n');
    await download('data', {
      phase: 'InProgress',
      startTimestamp: '2030-01-01T00:00:00Z',
      progress: { bytesDone: GiB, totalBytes: 4 * GiB },
    });
    expect(said()).toBe('r  volume shop/data  New\nr  volume shop/data  InProgress  1 GiB of 4 GiB\n');
    await download('data', { phase: 'Completed', progress: { bytesDone: 4 * GiB, totalBytes: 4 * GiB } });
    await status({ phase: 'Completed', progress: { totalItems: 1_200, itemsRestored: 1_200 } });
    expect(await end).toBe(0);
    expect(said()).toBe('r  volume shop/data  Completed  4 GiB\nr  Completed\nr  items: 1,200\n');
    expect(out.join('')).toBe(`${waiting}${completed('Completed')}`);
    expect(cluster.openWatches).toBe(0);
    expect(clock.pending).toBe(0);
  });

  it.each([
    ['Completed', 0],
    ['PartiallyFailed', 3],
    ['Failed', 4],
    ['FailedValidation', 4],
    ['Canceled', 4],
  ] as const)('exits as Velero when it ends %s, and with --exit-code according to its end', async (phase, asked) => {
    for (const [flags, code] of [
      [[], 0],
      [['--exit-code'], asked],
    ] as const) {
      const { cluster, ended, status, said, out } = setUp();
      const end = ended(...flags);
      await cluster.settle();
      await status({ phase, validationErrors: ['no such backup'] });
      expect(await end).toBe(code);
      expect(out.join('')).toBe(`${waiting}${completed(phase)}`);
      expect(said()).toBe(`r  New\nr  ${phase}\n${code === 0 ? '' : `restore "r" is ${phase}: no such backup\n`}`);
    }
  });

  it('reports that no controller has started it, that it was deleted, and on Ctrl-C that it continues', async () => {
    const alone = setUp();
    const forgotten = alone.ended();
    await alone.cluster.settle();
    alone.said();
    await alone.clock.advance(21_000);
    expect(alone.said()).toBe(
      'r  New  no controller has started to work on it yet; check that it runs: kubectl get pods\n',
    );
    alone.cluster.remove(restoreType, key);
    await alone.cluster.settle();
    expect(await forgotten).toBe(1);
    expect(alone.said()).toContain('restore "r" was deleted before it ended');
    const { cluster, ended, stop, said } = setUp();
    const end = ended();
    await cluster.settle();
    said();
    stop.abort(new Error('Ctrl-C'));
    expect(await end).toBe(1);
    expect(said()).toBe(
      'stopped waiting; restore "r" continues. See its state with: lateen restore get r; end it with: lateen restore cancel r\n',
    );
    expect(cluster.find<Restore>(restoreType, key)).toBeDefined();
    expect(cluster.openWatches).toBe(0);
  });
});
