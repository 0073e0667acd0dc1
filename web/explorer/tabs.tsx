/** A tab list with arrow key navigation. */
import { Tab, TabGroup, TabList } from '@headlessui/react'

interface Properties {
  names: readonly string[]
  selected: number
  /** The id of the panel. */
  controls: string
  label: string
  onSelect(index: number): void
}

export function Tabs({ names, selected, controls, label, onSelect }: Properties) {
  return (
    <TabGroup selectedIndex={selected} onChange={onSelect}>
      <TabList aria-label={label} className="row views">
        {names.map((name, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: names are not unique
          <Tab key={i} aria-controls={controls}>
            {name}
          </Tab>
        ))}
      </TabList>
    </TabGroup>
  )
}
