/** Versions of the data path. Ours reports v1, the one that clients know best; v2 is refused. */
export const dataEngines = ['v1', 'v2'] as const;
export type DataEngine = (typeof dataEngines)[number];
