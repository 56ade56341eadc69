import { AppError } from '@lateen/errors';
import type { Clock } from '@lateen/kernel';
import { type ApiAccess, apiRequest } from '../api-server/api-request.ts';
import { snapshotControllerProgram } from '../control-plane/control-plane-programs.ts';
import { waitUntil } from '../host/wait-until.ts';
import type { Machine } from '../machine/start-machine.ts';
import { startProgram } from '../machine/start-program.ts';
import { snapshotCrds } from './snapshot-crds.ts';

const establishedTimeoutMs = 30_000;

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
