import type { ResourceType, Unstructured } from '@lateen/kube';
import { unknownPath } from './api-error.ts';
import { builtInGroups } from './kind-facts.ts';
import { definitionType, isEstablished } from './known-types.ts';
import { apiTime, type ServerState } from './server-state.ts';
import { type Change, exactCopy, typeKeyOf } from './store.ts';

const definitionKey = typeKeyOf(definitionType);

interface Definition extends Unstructured {
  spec: { names: object; versions: { name: string; served?: boolean; storage?: boolean }[] };
}

/** Kinds of a definition are served once it is established. @throws KUBE_NOT_FOUND */
export function requireServed(state: ServerState, type: ResourceType): void {
  if (!state.strict || builtInGroups.has(type.group) || state.servedAlways.has(typeKeyOf(type))) return;
  const definition = state.store.get(definitionKey, { name: `${type.resource}.${type.group}` });
  if (definition === undefined || !isEstablished(definition.object)) throw unknownPath();
  const { versions } = (definition.object as Definition).spec;
  if (!versions.some(({ name, served }) => name === type.version && served !== false)) throw unknownPath();
}

/** Accepts the names of a new definition and serves its kind, some time after it was created. */
export function establishDefinition(state: ServerState, { type, entry }: Change): void {
  if (!state.strict || type !== 'ADDED' || entry.typeKey !== definitionKey || isEstablished(entry.object)) return;
  const delayMs = state.definitionDelayMs(entry.key.name);
  if (delayMs === undefined) return;
  const { uid } = entry.object.metadata;
  const establish = () => {
    const current = state.store.get(definitionKey, entry.key);
    if (current === undefined || current.object.metadata.uid !== uid) return;
    const definition = exactCopy(current) as Definition;
    const { names, versions } = definition.spec;
    const condition = (named: string, reason: string) => ({
      type: named,
      status: 'True',
      reason,
      lastTransitionTime: apiTime(state.clock),
    });
    definition.status = {
      conditions: [condition('NamesAccepted', 'NoConflicts'), condition('Established', 'InitialNamesAccepted')],
      ...{ acceptedNames: names, storedVersions: versions.filter(({ storage }) => storage).map(({ name }) => name) },
    };
    state.store.put(definitionKey, entry.key, definition);
  };
  later(state, delayMs, establish);
}

/** Runs after the immediate effects of the change. Ends with the test: nothing waits for it. */
export function later(state: ServerState, delayMs: number, act: () => void): void {
  const passed = delayMs > 0 ? state.clock.sleep(delayMs, new AbortController().signal) : Promise.resolve();
  void passed.then(act);
}
