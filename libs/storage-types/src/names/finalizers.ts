/** The finalizer of every kind that has one: its controller takes it away when what the object stands for is gone. */
export const longhornFinalizer = 'longhorn.io';
