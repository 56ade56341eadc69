export { type EngineHost, engineHost } from './engine-host.ts';
export { type EngineHostLimits, type EngineHostPorts, engineHostLimits, type HeadOf } from './engine-host-ports.ts';
