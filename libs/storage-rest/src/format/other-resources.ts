import type { KubeObject } from '@lateen/api-types';
import type { EngineImage, InstanceManager, InstanceProcess, Orphan, RecurringJob } from '@lateen/storage-types';
import { type Json, type JsonFields, type Resource, resource } from '../envelope/resource.ts';
import { conditionList } from './conditions.ts';
import { given, nameOf } from './given.ts';

export function recurringJobResource(job: RecurringJob, base: string): Resource {
  const { spec, status = {} } = job;
  const fields = {
    name: nameOf(job),
    task: spec.task ?? '',
    cron: spec.cron ?? '',
    retain: spec.retain ?? 0,
    concurrency: spec.concurrency ?? 0,
    ...given({ groups: spec.groups, labels: spec.labels, parameters: spec.parameters }),
    // Never reported, whichever manager processes the job.
    ownerID: '',
    executionCount: status.executionCount ?? 0,
  };
  return resource({ type: 'recurringJob', id: nameOf(job), fields }, base);
}

/** `defaultImage`: setting default-engine-image. */
export function engineImageResource(image: EngineImage, defaultImage: string, base: string): Resource {
  const { spec, status = {} } = image;
  const fields = {
    name: nameOf(image),
    image: spec.image,
    default: spec.image === defaultImage,
    ownerID: status.ownerID ?? '',
    state: status.state ?? '',
    refCount: status.refCount ?? 0,
    noRefSince: status.noRefSince ?? '',
    incompatible: status.incompatible ?? false,
    conditions: conditionList(status.conditions),
    nodeDeploymentMap: status.nodeDeploymentMap ?? {},
    version: status.version ?? '',
    gitCommit: status.gitCommit ?? '',
    buildDate: status.buildDate ?? '',
    cliAPIVersion: status.cliAPIVersion ?? 0,
    cliAPIMinVersion: status.cliAPIMinVersion ?? 0,
    controllerAPIVersion: status.controllerAPIVersion ?? 0,
    controllerAPIMinVersion: status.controllerAPIMinVersion ?? 0,
    dataFormatVersion: status.dataFormatVersion ?? 0,
    dataFormatMinVersion: status.dataFormatMinVersion ?? 0,
  };
  return resource({ type: 'engineImage', id: nameOf(image), fields }, base);
}

export function instanceManagerResource(manager: InstanceManager, base: string): Resource {
  const { spec, status = {} } = manager;
  const fields = {
    name: nameOf(manager),
    currentState: status.currentState ?? '',
    image: spec.image ?? '',
    nodeID: spec.nodeID ?? '',
    managerType: spec.type ?? '',
    dataEngine: spec.dataEngine ?? '',
    instanceEngines: processes(status.instanceEngines),
    instanceEngineFrontends: processes(status.instanceEngineFrontends),
    instanceReplicas: processes(status.instanceReplicas),
    instances: null,
  };
  return resource({ type: 'instanceManager', id: nameOf(manager), fields }, base);
}

const processes = (byName: Readonly<Record<string, InstanceProcess>> | null | undefined): JsonFields =>
  Object.fromEntries(Object.entries(byName ?? {}).map(([name, process]) => [name, processFields(process)]));

const processFields = ({ spec = {}, status = {} }: InstanceProcess): JsonFields => ({
  spec: { name: spec.name ?? '', dataEngine: spec.dataEngine ?? '' },
  status: {
    state: status.state ?? '',
    type: status.type ?? '',
    listen: status.listen ?? '',
    endpoint: status.endpoint ?? '',
    portStart: status.portStart ?? 0,
    portEnd: status.portEnd ?? 0,
    errorMsg: status.errorMsg ?? '',
    conditions: status.conditions ?? {},
    resourceVersion: status.resourceVersion ?? 0,
    ...given({ uuid: status.uuid }),
  },
});

export function orphanResource(orphan: Orphan, base: string): Resource {
  const { spec } = orphan;
  const fields = {
    name: nameOf(orphan),
    nodeID: spec.nodeID ?? '',
    orphanType: spec.orphanType ?? '',
    ...given({ dataEngine: spec.dataEngine }),
    parameters: spec.parameters ?? {},
  };
  return resource({ type: 'orphan', id: nameOf(orphan), fields }, base);
}

/** An Event of Kubernetes, whole. */
export function eventResource(event: KubeObject, base: string): Resource {
  const eventType = (event as unknown as { type?: string }).type ?? '';
  const fields = { event: event as unknown as Json, eventType };
  return resource({ type: 'event', id: nameOf(event), fields }, base);
}
