import { planVolumeAction, type VolumeActionSeen } from '@lateen/storage-rest';
import { volumeActionSeen } from '../reading/volume-seen.ts';
import type { RestAnswer, RestCall, RestPorts } from '../serving/rest-call.ts';
import { withRetries } from '../writing/with-retries.ts';
import { readNow, readThere } from '../writing/write-object.ts';
import { answerOf } from './answers.ts';
import { carryOut } from './carry-out.ts';

/** `POST /v1/volumes/<name>?action=<action>`: reads, decides, carries out, answers; retries after a conflict with another writer. */
export function actOnVolume(call: RestCall, ports: RestPorts): Promise<RestAnswer> {
  const { signal, action } = call;
  // The same for all attempts: an object that one attempt has created is found by the next.
  const uuid = ports.random.uuid();
  return withRetries(ports, signal, async () => {
    const seen = await seenNow(call, ports, uuid);
    const plan = planVolumeAction(action, call.body(), seen);
    const written = await carryOut(plan.intent, seen, ports, signal);
    const volume = written.volume ?? seen.volume;
    const after = { ...volumeActionSeen(volume, ports.reader, uuid), ...written };
    return answerOf(plan, after, call, ports);
  });
}

/** Objects to be written are read from the API server, all others from the cache. */
async function seenNow({ name, signal }: RestCall, ports: RestPorts, uuid: string): Promise<VolumeActionSeen> {
  const volume = await readThere(ports, 'volumes', name, signal);
  const attachment = await readNow(ports, 'attachments', name, signal);
  return { ...volumeActionSeen(volume, ports.reader, uuid), attachment };
}
