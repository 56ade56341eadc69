import { hostError } from '@lateen/block-engine';
import { isAppError } from '@lateen/errors';

/** What gRPC itself says when the other side is not there, or went away in the middle of a call. */
const unreachable = ['UNAVAILABLE', 'CANCELLED'];

/** An error of a call as the port has it; what the host itself has thrown stays as it is. An abort keeps its reason. */
export function toHostError(error: unknown, place: string): unknown {
  if (!isAppError(error)) return error;
  if (unreachable.includes(error.code)) {
    return hostError('HOST_UNREACHABLE', `the instance manager at ${place} does not answer`, {
      cause: error,
      nextStep: 'Look at the pod instance-manager of that node, and at the network between the nodes.',
    });
  }
  if (error.code !== 'UNIMPLEMENTED') return error;
  return hostError('API_VERSION', `the instance manager at ${place} does not know this call`, {
    cause: error,
    nextStep: 'Detach the volumes of its node: the instance manager is replaced when nothing runs in it.',
  });
}
