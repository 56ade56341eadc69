import { hostError } from '@lateen/block-engine';
import { isAppError } from '@lateen/errors';

/** What gRPC itself says when the other side is not there, or went away in the middle of a call. */
const unreachable = ['UNAVAILABLE', 'CANCELLED'];

/** An error of a call as the port has it; what the host itself has thrown stays as it is. An abort keeps its reason. */
function toHostError(error: unknown, place: string): unknown {
  if (!isAppError(error)) return error;
  if (unreachable.includes(error.code)) {
    return hostError('HOST_UNREACHABLE', `the instance manager at ${place} does not answer`, {
      cause: error,
      nextStep: 'Check the pod instance-manager of that node, and the network between the nodes.',
    });
  }
  if (error.code !== 'UNIMPLEMENTED') return error;
  return hostError('API_VERSION', `the instance manager at ${place} does not know this call`, {
    cause: error,
    nextStep: 'Detach the volumes of its node: the instance manager is replaced when nothing runs in it.',
  });
}

/** Answers of a client at `place`, with errors as the ports have them. */
export function withHostErrors(place: string) {
  const one = async <Answer>(answer: Promise<Answer>): Promise<Answer> => {
    try {
      return await answer;
    } catch (error) {
      throw toHostError(error, place);
    }
  };
  const none = async (answer: Promise<unknown>): Promise<void> => void (await one(answer));
  const many = async function* <Event>(events: AsyncIterable<Event>): AsyncGenerator<Event, void, undefined> {
    try {
      yield* events;
    } catch (error) {
      throw toHostError(error, place);
    }
  };
  return { one, none, many };
}
