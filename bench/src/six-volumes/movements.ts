import {
  type DataDownload,
  type DataUpload,
  dataDownloadType,
  dataUploadType,
  isTerminalPhase,
  type ResourceType,
} from '@lateen/api-types';
import { keyOf } from '@lateen/kube';
import { waitForObject } from '@lateen/kube-runtime';
import { type SixVolumes, volumes } from './workload.ts';

const driver = 'csi.lateen.dev';
const operationTimeout = '10m';

export interface Timed<T> {
  /** Time from the first creation to the last Completed. */
  ms: number;
  ended: readonly T[];
}

/** Six DataUploads, created together. Resolves when all have ended. @throws when one was not Completed */
export async function uploadSixVolumes(
  context: SixVolumes,
  { snapshots, run }: { snapshots: readonly string[]; run: string },
): Promise<Timed<DataUpload>> {
  const { lateen, namespace } = context;
  const objects = volumes.map(
    ({ name }, index): DataUpload => ({
      apiVersion: 'velero.io/v2alpha1',
      kind: 'DataUpload',
      metadata: { namespace: lateen.veleroNamespace, name: `${namespace}-${run}-${name}` },
      spec: {
        snapshotType: 'CSI',
        csiSnapshot: { volumeSnapshot: snapshots[index] ?? '', storageClass: lateen.storageClass, driver },
        sourcePVC: name,
        sourceNamespace: namespace,
        backupStorageLocation: 'default',
        operationTimeout,
      },
    }),
  );
  return await timed(context, dataUploadType, objects);
}

/** Six DataDownloads into the claims of `target`, created together. @throws when one was not Completed */
export async function downloadSixVolumes(
  context: SixVolumes,
  { uploads, target }: { uploads: readonly DataUpload[]; target: string },
): Promise<Timed<DataDownload>> {
  const { lateen, namespace } = context;
  const objects = volumes.map(
    ({ name }, index): DataDownload => ({
      apiVersion: 'velero.io/v2alpha1',
      kind: 'DataDownload',
      metadata: { namespace: lateen.veleroNamespace, name: `${target}-${name}` },
      spec: {
        targetVolume: { namespace: target, pvc: name, pv: '' },
        backupStorageLocation: 'default',
        snapshotID: uploads[index]?.status?.snapshotID ?? '',
        sourceNamespace: namespace,
        operationTimeout,
      },
    }),
  );
  return await timed(context, dataDownloadType, objects);
}

async function timed<T extends DataUpload | DataDownload>(
  { lateen, clock, signal }: SixVolumes,
  type: ResourceType<T>,
  objects: readonly T[],
): Promise<Timed<T>> {
  const { kube } = lateen;
  const startedMs = clock.monotonicMs();
  await Promise.all(objects.map((object) => kube.create<T>(type, object as NoInfer<T>, { signal })));
  const ended = await Promise.all(
    objects.map((object) =>
      waitForObject<T, T>({
        api: kube,
        type,
        key: keyOf(object),
        clock,
        signal,
        until: (seen) => (seen !== undefined && isTerminalPhase(seen.status?.phase) ? seen : undefined),
      }),
    ),
  );
  const ms = clock.monotonicMs() - startedMs;
  const bad = ended.find(({ status }) => status?.phase !== 'Completed');
  if (bad !== undefined)
    throw new Error(`${type.kind} ${bad.metadata.name} is ${bad.status?.phase}: ${bad.status?.message}`);
  await Promise.all(objects.map((object) => kube.delete(type, keyOf(object), { signal })));
  return { ms, ended };
}
