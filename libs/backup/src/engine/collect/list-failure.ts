import { type AppError, isAppError } from '@lateen/errors';
import type { Logger } from '@lateen/kernel';
import { isNotFound } from '@lateen/kube';
import type { ListTask } from './list-task.ts';

export interface FailureParts {
  log: Logger;
  /** API groups whose own server does not answer: it is asked once, not once for each type. */
  downGroups: Map<string, unknown>;
}

/** Records a 503 of an API group, which comes from the group's own server behind the API server. */
export function noteDownGroup(error: AppError, group: string, downGroups: Map<string, unknown>): void {
  const isDown = isAppError(error, 'KUBE_UNAVAILABLE') && error.details.httpStatus === 503;
  if (group !== '' && isDown) downGroups.set(group, error);
}

/** Logs what is missing in the backup. A resource that is not served any more is not missing. */
export function tellFailure(
  failure: unknown,
  { type, range: { namespace } }: ListTask,
  last: string | undefined,
  { log }: FailureParts,
): void {
  const where = namespace === undefined ? {} : { namespace };
  const fields = { resource: type.groupResource, ...where, err: failure };
  if (isNotFound(failure)) log.warn(fields, 'resource is not served any more, it has no objects in this backup');
  else log.error(fields, last === undefined ? noneOfThese : `Error listing items: ${afterThat(last)}`);
}

const noneOfThese = 'Error listing items: none of these objects are in the backup';
const afterThat = (last: string): string => `the objects after ${last} are not in the backup`;
