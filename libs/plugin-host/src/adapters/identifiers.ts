import type { ItemIdentifier, OperationProgress } from '@lateen/item-actions';
import type { ResourceIdentifier, OperationProgress as WireProgress } from '@lateen/plugin-protocol';

/** Items that a plugin names; undefined when it names none. */
export function itemsOf(wire: readonly ResourceIdentifier[]): readonly ItemIdentifier[] {
  return wire.map(({ group, resource, namespace, name }) => ({
    group,
    resource,
    ...(namespace === '' ? {} : { namespace }),
    name,
  }));
}

export const wireItems = (items: readonly ItemIdentifier[]): readonly ResourceIdentifier[] =>
  items.map(({ group, resource, namespace = '', name }) => ({ group, resource, namespace, name }));

/** Go's zero time is in the year 1. */
const yearMin = 1970;

/** A plugin's progress of an operation; an empty answer means that the operation is running. */
export function progressOf(wire: WireProgress | undefined): OperationProgress {
  if (wire === undefined) return { completed: false };
  const { completed, err, nCompleted, nTotal, operationUnits, description, started, updated } = wire;
  return {
    completed,
    ...(err === '' ? {} : { error: err }),
    nCompleted: Number(nCompleted),
    nTotal: Number(nTotal),
    ...(operationUnits === '' ? {} : { units: operationUnits }),
    ...(description === '' ? {} : { description }),
    ...timeAs('startedAt', started),
    ...timeAs('updatedAt', updated),
  };
}

function timeAs(name: string, time: Date | undefined): Record<string, string> {
  const isSet = time !== undefined && !Number.isNaN(time.getTime()) && time.getUTCFullYear() >= yearMin;
  return isSet ? { [name]: time.toISOString() } : {};
}
