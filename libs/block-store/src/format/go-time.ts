/** RFC 3339 in UTC, in whole seconds, as every time of the format is. */
export const formatTime = (epochMs: number): string => `${new Date(epochMs).toISOString().slice(0, 19)}Z`;
