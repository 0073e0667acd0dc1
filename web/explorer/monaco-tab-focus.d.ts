/** The switch of Monaco that its package has no types for. The option `tabFocusMode` of an editor has no effect. */
declare module 'monaco-editor/esm/vs/editor/browser/config/tabFocus.js' {
  export const TabFocus: { setTabFocusMode(isOn: boolean): void }
}
