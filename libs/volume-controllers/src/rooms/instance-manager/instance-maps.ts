import type { Instance, InstanceKind } from '@lateen/block-engine';
import type { InstanceManagerStatus, InstanceProcess, InstanceState } from '@lateen/storage-types';

/** The maps of the status, as clients of Longhorn read them: the instances in the pod, by name. */
export function instanceMaps(
  instances: readonly Instance[],
): Pick<InstanceManagerStatus, 'instanceEngines' | 'instanceReplicas'> {
  const devices = new Map(
    instances.flatMap((each) => (each.kind === 'frontend' ? [[each.volume, each.endpoint]] : [])),
  );
  return {
    instanceEngines: mapOf('engine', instances, ({ volume }) => devices.get(volume) ?? ''),
    instanceReplicas: mapOf('replica', instances, () => ''),
  };
}

function mapOf(
  kind: InstanceKind,
  instances: readonly Instance[],
  endpointOf: (instance: Instance) => string,
): Record<string, InstanceProcess> {
  const ofKind = instances.filter((each) => each.kind === kind).sort((a, b) => (a.name < b.name ? -1 : 1));
  return Object.fromEntries(ofKind.map((each) => [each.name, processOf(each, endpointOf(each))]));
}

function processOf({ kind, name, state, error, port = 0, uuid }: Instance, endpoint: string): InstanceProcess {
  return {
    spec: { name, dataEngine: 'v1' },
    status: {
      state: state satisfies InstanceState,
      type: kind,
      listen: '',
      endpoint,
      errorMsg: error?.message ?? '',
      portStart: port,
      portEnd: port,
      resourceVersion: 0,
      uuid,
      conditions: {},
    },
  };
}
