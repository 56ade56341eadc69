import { type Engine, type EngineSpec, generationOf, storageAnnotations } from '@lateen/storage-types';
import type { EngineChange } from './volume-effect.ts';

/** The Engine with the change; undefined when it already has the change, or has changed since the decision. */
export function changedEngine(engine: Engine, change: EngineChange): Engine | undefined {
  switch (change.do) {
    case 'begin-start': {
      if (generationOf(engine) !== change.from) return undefined;
      const { nodeID, addresses, disableFrontend } = change;
      return changed(
        engine,
        { nodeID, replicaAddressMap: { ...addresses }, disableFrontend, desireState: 'stopped' },
        {
          generation: String(change.from + 1),
          starting: change.proof,
          readPrimary: change.readPrimary,
        },
      );
    }
    case 'let-start':
      return changed(
        engine,
        { replicaAddressMap: { ...change.addresses }, desireState: 'running' },
        { starting: undefined, readPrimary: change.readPrimary },
      );
    case 'set-addresses':
      return changed(engine, { replicaAddressMap: { ...change.addresses } });
    case 'stop-engine':
      return engine.spec.desireState === 'stopped' ? undefined : changed(engine, { desireState: 'stopped' });
    case 'read-from':
      return changed(engine, {}, { readPrimary: change.replica });
    case 'grow-engine':
      return changed(engine, { volumeSize: String(change.sizeBytes) });
    case 'request-restore':
      return changed(
        engine,
        { backupVolume: change.backupVolume, requestedBackupRestore: change.backup },
        { restoreRequest: JSON.stringify(change.request) },
      );
    case 'end-restore': {
      const { frontend } = change;
      const spec = { requestedBackupRestore: '', ...(frontend === undefined ? {} : { frontend }) };
      return changed(engine, spec, { restoreRequest: undefined });
    }
  }
}

function changed(
  engine: Engine,
  spec: Partial<EngineSpec>,
  texts: Partial<Record<'generation' | 'starting' | 'readPrimary' | 'restoreRequest', string | undefined>> = {},
): Engine {
  const annotations = { ...engine.metadata.annotations };
  for (const [key, text] of Object.entries(texts)) {
    const name = storageAnnotations[key as keyof typeof texts];
    if (text === undefined) delete annotations[name];
    else annotations[name] = text;
  }
  return { ...engine, metadata: { ...engine.metadata, annotations }, spec: { ...engine.spec, ...spec } };
}
