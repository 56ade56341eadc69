export { connectInstanceHost, connectInstanceHostUnix, type HostClientOptions } from './host-client.ts';
export { type InstanceServiceOptions, instanceService } from './instance-service.ts';
