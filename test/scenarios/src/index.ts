export { downloadWorld, type MovementWorldOptions, restoreSelector, uploadWorld } from './world/movement-worlds.ts';
export { leftovers } from './world/nothing-left.ts';
export { World, type WorldOptions } from './world/world.ts';
