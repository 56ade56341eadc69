export { connectInstanceHost, connectInstanceHostUnix, type HostClientOptions } from './host-client.ts';
export { type InstanceServiceOptions, instanceService, replicaService } from './instance-service.ts';
export { connectInstanceHostLate } from './late-host.ts';
export { connectReplicaControl, connectReplicaControlUnix } from './replica-client.ts';
