import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '@lateen/errors';
import type { Clock } from '@lateen/kernel';
import { type ApiAccess, apiRequest } from '../api-server/api-request.ts';
import { snapshotControllerProgram } from '../control-plane/control-plane-programs.ts';
import { waitUntil } from '../host/wait-until.ts';
import type { Machine } from '../machine/start-machine.ts';
import { startProgram } from '../machine/start-program.ts';
import { go } from '../parts/go-toolchain.ts';
import { partsDir } from '../parts/parts-dir.ts';

/** The snapshotter's own module pins the one its CRDs come from, so nothing of them is committed here. */
const crdModule = 'github.com/kubernetes-csi/external-snapshotter/client/v8';
const crdFiles = ['volumesnapshotclasses', 'volumesnapshotcontents', 'volumesnapshots'] as const;
const establishedTimeoutMs = 30_000;

/** Texts of the snapshot CRDs, from the Go module cache (downloaded when it is not there). */
export async function snapshotCrds(signal?: AbortSignal): Promise<{ name: string; text: string }[]> {
  const folder = join(partsDir, 'external-snapshotter');
  const answer = JSON.parse(await go(['mod', 'download', '-json', crdModule], folder, { signal })) as { Dir?: string };
  if (answer.Dir === undefined) throw new AppError('CRDS_MISSING', `go gave no folder for ${crdModule}`);
  const dir = join(answer.Dir, 'config', 'crd');
  return Promise.all(
    crdFiles.map(async (plural) => ({
      name: `${plural}.snapshot.storage.k8s.io`,
      text: await readFile(join(dir, `snapshot.storage.k8s.io_${plural}.yaml`), 'utf8'),
    })),
  );
}

/** Applies the snapshot CRDs, waits until they are served, and runs the snapshot controller. Safe to repeat. */
export async function startSnapshots(
  machine: Machine,
  access: ApiAccess,
  options: { clock: Clock; signal?: AbortSignal | undefined },
): Promise<void> {
  const { clock, signal } = options;
  for (const { name, text } of await snapshotCrds(signal)) {
    const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`;
    const applied = await apiRequest(access, 'PATCH', `${path}?fieldManager=lateen-cluster&force=true`, {
      body: text,
      contentType: 'application/apply-patch+yaml',
      signal,
    });
    if (applied.status >= 300)
      throw new AppError('CRD_REFUSED', `the API server refused ${name} (${applied.status}): ${applied.body}`);
    const established = async () => isEstablished((await apiRequest(access, 'GET', path, { signal })).body);
    await waitUntil(established, { what: `${name} is served`, timeoutMs: establishedTimeoutMs, clock, signal });
  }
  await startProgram(machine, snapshotControllerProgram, clock);
}

function isEstablished(body: string): boolean {
  const crd = JSON.parse(body) as { status?: { conditions?: { type: string; status: string }[] } };
  return crd.status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True') ?? false;
}
