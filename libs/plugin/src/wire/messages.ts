import { AppError } from '@lateen/errors';
import type { ItemIdentifier, OperationProgress, ResourceSelector } from '@lateen/item-actions';
import type {
  ResourceIdentifier,
  OperationProgress as WireProgress,
  ResourceSelector as WireSelector,
} from '@lateen/plugin-protocol';

/** Which items an action sees, for its host. */
export const wireSelector = (selector: ResourceSelector = {}): WireSelector => ({
  includedNamespaces: selector.includedNamespaces ?? [],
  excludedNamespaces: selector.excludedNamespaces ?? [],
  includedResources: selector.includedResources ?? [],
  excludedResources: selector.excludedResources ?? [],
  selector: selector.labelSelector ?? '',
});

/** Items that an action names. @throws PLUGIN_ANSWER_INVALID for one without resource or name */
export function wireItems(items: readonly ItemIdentifier[] | undefined, what: string): ResourceIdentifier[] {
  return (items ?? []).map(({ group = '', resource, namespace = '', name }) => {
    if (!resource || !name) {
      throw new AppError(
        'PLUGIN_ANSWER_INVALID',
        `${what} has an item without ${resource ? 'name' : 'resource'}: ${JSON.stringify({ group, resource, namespace, name })}`,
        { nextStep: 'resource is the plural in lower case, such as persistentvolumeclaims.' },
      );
    }
    return { group, resource, namespace, name };
  });
}

export const itemOfWire = ({ group, resource, namespace, name }: ResourceIdentifier): ItemIdentifier => ({
  group,
  resource,
  name,
  ...(namespace === '' ? {} : { namespace }),
});

/** How far an operation is, for its host. @throws PLUGIN_ANSWER_INVALID for times and counts that are none */
export function wireProgress(progress: OperationProgress): WireProgress {
  const { completed, error = '', units = '', description = '' } = progress;
  if (typeof completed !== 'boolean') throw invalid('completed', completed);
  return {
    completed,
    err: error,
    nCompleted: wholeNumber('nCompleted', progress.nCompleted),
    nTotal: wholeNumber('nTotal', progress.nTotal),
    operationUnits: units,
    description,
    started: timeOf('startedAt', progress.startedAt),
    updated: timeOf('updatedAt', progress.updatedAt),
  };
}

function wholeNumber(field: string, value = 0): bigint {
  if (!Number.isFinite(value)) throw invalid(field, value);
  return BigInt(Math.round(value));
}

/** How Go says that a time is not known; Velero shows what comes instead of it. */
const unknownTime = new Date(Date.parse('0001-01-01T00:00:00Z'));

function timeOf(field: string, text: string | undefined): Date {
  if (text === undefined) return unknownTime;
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) throw invalid(field, text);
  return time;
}

const invalid = (field: string, value: unknown): AppError =>
  new AppError('PLUGIN_ANSWER_INVALID', `${field} of an operation's progress is ${JSON.stringify(value)}`, {
    nextStep: 'completed is true or false, counts are numbers, times are RFC 3339.',
  });

/** The other direction, for the test kit. */
export function progressOfWire(progress: WireProgress | undefined): OperationProgress {
  const {
    completed = false,
    err = '',
    nCompleted = 0n,
    nTotal = 0n,
    operationUnits = '',
    description = '',
  } = progress ?? {};
  const at = (time: Date | undefined) =>
    time === undefined || time.getTime() === unknownTime.getTime() ? undefined : time.toISOString();
  const [startedAt, updatedAt] = [at(progress?.started), at(progress?.updated)];
  return {
    completed,
    ...(err === '' ? {} : { error: err }),
    nCompleted: Number(nCompleted),
    nTotal: Number(nTotal),
    ...(operationUnits === '' ? {} : { units: operationUnits }),
    ...(description === '' ? {} : { description }),
    ...(startedAt === undefined ? {} : { startedAt }),
    ...(updatedAt === undefined ? {} : { updatedAt }),
  };
}
