/** The explorer's page: asks for the key once, then hands over to the workspace. */
import './monaco'
import { StrictMode, useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'
import 'graphiql/style.css'
import './explorer.css'
import { KeyForm } from './key-form'
import { forgetKey, keepKey, keptKey, look, type Sight } from './service'
import { Workspace } from './workspace'

interface Opened {
  key: string
  sight: Sight
}

function Explorer() {
  const [opened, setOpened] = useState<Opened>()
  const [fault, setFault] = useState<string>()
  const [opening, setOpening] = useState(keptKey() !== null)

  const open = async (key: string) => {
    setOpening(true)
    try {
      const sight = await look(key)
      keepKey(key)
      setOpened({ key, sight })
      setFault(undefined)
    } catch (error) {
      forgetKey()
      setFault((error as Error).message)
    }
    setOpening(false)
  }
  const close = () => {
    forgetKey()
    setOpened(undefined)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key that the tab has kept is tried once
  useEffect(() => {
    const key = keptKey()
    if (key) open(key)
  }, [])

  if (opened) return <Workspace apiKey={opened.key} sight={opened.sight} onClose={close} />
  return <KeyForm fault={fault} busy={opening} onKey={open} />
}

createRoot(document.getElementById('explorer') as HTMLElement).render(
  <StrictMode>
    <Explorer />
  </StrictMode>,
)
