import { join } from 'node:path';
import { type BackupRepository, backupRepositoryType } from '@lateen/api-types';
import { type JourneyOptions, type JourneyPorts, lateenCli, podName, podShell, runJourney } from '@lateen/demo';
import { systemClock, systemRandom } from '@lateen/kernel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LateenUnderTest, lateenUnderTest } from './environment/provided-lateen.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const signal = AbortSignal.any([]);
let lateen: LateenUnderTest;

beforeAll(async () => {
  lateen = await lateenUnderTest();
});
afterAll(async () => {
  await lateen.kube.close();
});

function journeyOptions(): JourneyOptions {
  const namespace = `restic-${systemRandom.suffix(5)}`;
  return {
    veleroNamespace: lateen.veleroNamespace,
    namespace,
    restoredNamespace: `${namespace}-restored`,
    image: lateen.image,
    storageClass: lateen.storageClass,
    volumeSize: '512Mi',
    source: { path: join(root, 'libs'), files: 0 },
    bigFileBytes: 20_000_000,
  };
}

/** As a user does it: the upload requests restic, and the download uses the engine of the upload. */
function ports(say: (text: string) => void): JourneyPorts {
  const cli = lateenCli(root, lateen.kubeconfig, signal);
  return {
    kube: lateen.kube,
    clock: systemClock,
    lateen: (args) => cli(args[1] === 'upload' ? [...args, '--data-mover-config', 'UploaderType=restic'] : args),
    shell: (namespace) => podShell({ ...lateen, namespace, pod: podName, signal }),
    say,
  };
}

/**
 * This version of restic fills holes, and creates two entries for a symlink or FIFO with two names. We restore the time of the root, which
 * is kept to the microsecond.
 */
const knownLoss = /^sparse files: |^hard links: special\/(fifo|link)-again$|^folder times: $/;

describe('one volume\u2019s journey with restic', () => {
  it('is uploaded, then only what changed, and is restored with everything that restic keeps', async () => {
    const options = journeyOptions();
    // The journey deletes its repository at its end.
    let repository: Promise<BackupRepository[]> | undefined;
    const result = await runJourney(
      options,
      ports((text) => {
        if (text.startsWith('Second upload')) repository = repositoriesOf(options.namespace);
      }),
      signal,
    );
    const lost = result.comparison.flatMap(({ aspect, different }) => different.map((path) => `${aspect}: ${path}`));
    expect(lost.filter((each) => !knownLoss.test(each))).toEqual([]);
    expect(result.entries).toBeGreaterThan(100);
    expect(result.leftovers).toEqual([]);
    const [first, second, restore] = result.records;
    expect(result.records.map(({ phases }) => phases.at(-1)?.phase)).toEqual(['Completed', 'Completed', 'Completed']);
    expect(first?.snapshotId).toMatch(/^[0-9a-f]{64}$/);
    expect(first?.totalBytes).toBeGreaterThan(options.bigFileBytes);
    expect(first?.incrementalBytes).toBeGreaterThan(options.bigFileBytes);
    expect(second?.incrementalBytes).toBeLessThan((second?.totalBytes ?? 0) / 4);
    expect(restore?.totalBytes).toBeGreaterThan(options.bigFileBytes);
    expectRepository(options.namespace, await repository);
  });
});

async function repositoriesOf(volumeNamespace: string): Promise<BackupRepository[]> {
  const { kube, veleroNamespace: namespace } = lateen;
  const labelSelector = `velero.io/volume-namespace=${volumeNamespace}`;
  return (await kube.list(backupRepositoryType, { namespace, labelSelector })).items;
}

function expectRepository(volumeNamespace: string, found: BackupRepository[] | undefined): void {
  expect(found).toMatchObject([
    {
      metadata: { name: `${volumeNamespace}-default-restic` },
      spec: {
        repositoryType: 'restic',
        resticIdentifier: expect.stringMatching(new RegExp(`^s3:http://[^/]+/.+/restic/${volumeNamespace}$`)),
      },
      status: { phase: 'Ready' },
    },
  ]);
}
